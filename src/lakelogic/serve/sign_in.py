"""The way in for browsers: a form that takes the token, and a cookie that stands for it."""

from __future__ import annotations

from html import escape
from urllib.parse import parse_qs

from fastapi import APIRouter, Request
from starlette.responses import RedirectResponse, Response

from lakelogic.serve.access import COOKIE, SESSION_SECONDS, SIGN_IN, Access
from lakelogic.serve.bare_pages import bare_page

_FORM = """<form method="post" action="{action}">
<h1>LakeLogic</h1>
<p>Sign in to see contracts, runs and quarantine.</p>
{problem}
<label for="token">Token of this server</label>
<input id="token" name="token" type="password" required autofocus autocomplete="current-password">
<input type="hidden" name="next" value="{next}">
<button>Sign in</button>
</form>"""


def sign_in_routes(access: Access) -> APIRouter:
    """The form, what it sends, and the way out."""
    routes = APIRouter(include_in_schema=False)

    @routes.get(SIGN_IN)
    def form(next: str = "/") -> Response:
        return _form(next)

    @routes.post(SIGN_IN)
    async def enter(request: Request) -> Response:
        sent = parse_qs((await request.body()).decode("utf-8", errors="replace"))
        given, wanted = sent.get("token", [""])[0], sent.get("next", ["/"])[0]
        if not access.knows(given.strip()):
            return _form(wanted, "That is not the token of this server.")
        found = RedirectResponse(_local(wanted), 303)
        secure = request.url.scheme == "https" or request.headers.get("origin", "").startswith("https:")
        found.set_cookie(
            COOKIE, access.session(), max_age=SESSION_SECONDS, httponly=True, samesite="strict", secure=secure
        )
        return found

    @routes.post("/sign-out")
    def leave() -> Response:
        found = RedirectResponse(SIGN_IN, 303)
        found.delete_cookie(COOKIE, httponly=True, samesite="strict")
        return found

    return routes


def _form(next: str, problem: str = "") -> Response:
    told = f'<p role="alert">{escape(problem)}</p>' if problem else ""
    body = _FORM.format(action=SIGN_IN, problem=told, next=escape(_local(next)))
    return bare_page("Sign in", body, kind="narrow", status=403 if problem else 200)


def _local(next: str) -> str:
    """A place on this server; a browser would take `//` and a backslash for another one."""
    odd = not next.startswith("/") or next.startswith(("//", "/\\")) or any(ord(each) < 32 for each in next)
    return "/" if odd else next
