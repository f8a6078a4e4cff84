"""Who may come in: people on this machine, or holders of the token; and who may change something."""

from __future__ import annotations

import hashlib
import hmac
import ipaddress
import secrets
import time
from dataclasses import dataclass
from urllib.parse import quote

from starlette.datastructures import Headers
from starlette.requests import cookie_parser
from starlette.responses import RedirectResponse, Response
from starlette.types import ASGIApp, Receive, Scope, Send

from lakelogic.errors import UsageError
from lakelogic.serve.answers import refusal

VARIABLE = "LAKELOGIC_SERVE_TOKEN"
COOKIE = "lakelogic_session"
SIGN_IN = "/sign-in"
# Open to everybody: what a health check asks, and the way in.
OPEN = frozenset({"/health", SIGN_IN})
SESSION_SECONDS = 12 * 3600
_READING = frozenset({"GET", "HEAD", "OPTIONS"})
_LOCAL_NAMES = frozenset({"localhost", "127.0.0.1", "[::1]"})
_SHORTEST = 16


@dataclass(frozen=True)
class Access:
    """What the server asks of a visitor. Without a token, only this machine may read, and nobody may write."""

    token: str | None = None

    def knows(self, given: str) -> bool:
        """Whether this is the token, told in the same time for every wrong one."""
        return self.token is not None and hmac.compare_digest(given.encode(), self.token.encode())

    def session(self, now: float | None = None) -> str:
        """What a browser keeps in place of the token: when it ends, and a signature."""
        ends = str(int(time.time() if now is None else now) + SESSION_SECONDS)
        return f"{ends}.{self._signed(ends)}"

    def knows_session(self, given: str, now: float | None = None) -> bool:
        """Whether a session was given out under this token and has not ended."""
        ends, _, signature = given.partition(".")
        genuine = hmac.compare_digest(signature.encode(), self._signed(ends).encode())
        return self.token is not None and genuine and int(ends) > (time.time() if now is None else now)

    def holds(self, headers: Headers) -> bool:
        """Whether a request carries the token, or a session."""
        kind, _, given = headers.get("authorization", "").partition(" ")
        if kind.lower() == "bearer":
            return self.knows(given.strip())
        session = cookie_parser(headers.get("cookie", "")).get(COOKIE)
        return session is not None and self.knows_session(session)

    def _signed(self, ends: str) -> str:
        key = f"lakelogic session {self.token}".encode()
        return hmac.new(key, ends.encode(), hashlib.sha256).hexdigest()


def is_loopback(host: str) -> bool:
    """Whether a host is this machine, seen from itself."""
    name = host.strip("[]").lower()
    try:
        return ipaddress.ip_address(name).is_loopback
    except ValueError:
        return name == "localhost"


def generated_token() -> str:
    """A token that nobody can guess."""
    return secrets.token_urlsafe(32)


def require_token(host: str, token: str | None) -> None:
    """
    Raises:
        UsageError: others could reach the host, and no token, or one that is easy to guess, keeps them out.
    """
    if is_loopback(host):
        return
    if token is None:
        raise UsageError(
            f"--host {host} lets other machines in, and there is no token.",
            cure=f"Set {VARIABLE}, or pass --generate-token, which prints a new one.",
        )
    if len(token) < _SHORTEST:
        raise UsageError(
            f"--host {host} lets other machines in, and the token has fewer than {_SHORTEST} characters.",
            cure="Pass --generate-token, which prints a new one.",
        )


class Guard:
    """Turns away whoever may not come in, before any route is looked up."""

    def __init__(self, app: ASGIApp, access: Access) -> None:
        self._app = app
        self._access = access

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        holder = self._access.holds(headers)
        answer = self._foreign(scope, headers) or self._refused(scope, headers, holder)
        scope.setdefault("state", {})["may_write"] = holder
        await (answer or self._app)(scope, receive, send)

    def _foreign(self, scope: Scope, headers: Headers) -> Response | None:
        """What a page of another site would send, by a form or by a name that it points at this machine."""
        host = headers.get("host", "")
        if self._access.token is None and not _is_local(scope, host):
            return refusal(403, "this server answers only to its own machine.", f"Start it with {VARIABLE} set.")
        origin = headers.get("origin")
        if origin is None:
            # Browsers send an origin with every form; what brings the token itself was not made by another site.
            brings_token = "authorization" in headers
            return None if scope["method"] in _READING or brings_token else refusal(403, "the request has no origin.")
        own = origin.lower() == f"{scope['scheme']}://{host}".lower()
        # A proxy that ends the encryption leaves the server with plain HTTP.
        own = own or origin.lower() == f"https://{host}".lower()
        return None if own or scope["method"] in _READING else refusal(403, "the request comes from another site.")

    def _refused(self, scope: Scope, headers: Headers, holder: bool) -> Response | None:
        if holder or scope["path"] in OPEN:
            return None
        if self._access.token is None:
            if scope["method"] in _READING:
                return None
            return refusal(403, "without a token, nothing can be changed.", f"Start the server with {VARIABLE} set.")
        if scope["method"] == "GET" and "text/html" in headers.get("accept", ""):
            return RedirectResponse(f"{SIGN_IN}?next={quote(_asked(scope), safe='')}", 303)
        cure = "Send it as 'Authorization: Bearer …', or sign in with a browser."
        return refusal(401, "the token is missing or wrong.", cure, {"WWW-Authenticate": "Bearer"})


def _asked(scope: Scope) -> str:
    query = scope.get("query_string", b"").decode("latin-1")
    return f"{scope['path']}?{query}" if query else str(scope["path"])


def _is_local(scope: Scope, host: str) -> bool:
    """Whether the visitor is on this machine and calls it by a name of its own; others may point theirs at it."""
    name = host if host.endswith("]") else host.rpartition(":")[0] or host
    client = scope.get("client")
    # A visitor without an address has come through a socket of this machine.
    return name.lower() in _LOCAL_NAMES and (client is None or is_loopback(client[0]))
