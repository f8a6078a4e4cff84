"""What holds for every request and every answer: how large, how long, and what browsers are told."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass

from starlette.datastructures import Headers, MutableHeaders
from starlette.exceptions import HTTPException
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from lakelogic.serve.answers import refusal

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; "
    "connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
_HEADERS = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    # Without any referrer, browsers would hide the origin of our own forms, too.
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
    "Cache-Control": "no-store",
}


@dataclass(frozen=True)
class Limits:
    """The most that a request may ask of the server. Changing something may take as long as a run."""

    body_bytes: int = 64 * 1024
    query_bytes: int = 8 * 1024
    body_seconds: float = 10
    read_seconds: float = 30
    write_seconds: float = 900


class Limited:
    """Keeps requests within limits, and puts the headers of security on every answer that does not set its own."""

    def __init__(self, app: ASGIApp, limits: Limits) -> None:
        self._app = app
        self._limits = limits

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        answering = _Answering(send)
        problem = self._too_large(scope)
        if problem is not None:
            await problem(scope, receive, answering)
            return
        seconds = self._limits.read_seconds if scope["method"] in ("GET", "HEAD") else self._limits.write_seconds
        try:
            async with asyncio.timeout(seconds) as patience:
                answering.patience = patience
                await self._app(scope, _Counted(receive, self._limits), answering)
        except TimeoutError:
            cure = "Ask for less, or try again later."
            await answering.instead(scope, receive, 503, f"the answer took more than {seconds:g} seconds.", cure)

    def _too_large(self, scope: Scope) -> ASGIApp | None:
        if len(scope.get("query_string", b"")) > self._limits.query_bytes:
            return refusal(414, f"the query has more than {self._limits.query_bytes} bytes.")
        length = Headers(scope=scope).get("content-length", "0")
        if not length.isdecimal() or int(length) > self._limits.body_bytes:
            return refusal(413, f"the body has more than {self._limits.body_bytes} bytes.")
        return None


class _Answering:
    """An answer on its way out. Once it has begun, it may take its time: a download is as long as it is."""

    def __init__(self, send: Send) -> None:
        self._send = send
        self._begun = False
        self.patience: asyncio.Timeout | None = None

    async def __call__(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self._begun = True
            if self.patience is not None:
                self.patience.reschedule(None)
            headers = MutableHeaders(scope=message)
            for name, value in _HEADERS.items():
                headers.setdefault(name, value)
        await self._send(message)

    async def instead(self, scope: Scope, receive: Receive, status: int, detail: str, cure: str | None = None) -> None:
        """A refusal, where nothing was said yet."""
        self.patience = None
        if not self._begun:
            await refusal(status, detail, cure)(scope, receive, self)


class _Counted:
    """A body on its way in: not more than the limit, and not slower."""

    def __init__(self, receive: Receive, limits: Limits) -> None:
        self._receive = receive
        self._limits = limits
        self._bytes = 0
        self._complete = False

    async def __call__(self) -> Message:
        if self._complete:
            return await self._receive()
        async with asyncio.timeout(self._limits.body_seconds):
            message = await self._receive()
        if message["type"] == "http.request":
            self._bytes += len(message.get("body", b""))
            self._complete = not message.get("more_body", False)
        if self._bytes > self._limits.body_bytes:
            raise HTTPException(413, f"the body has more than {self._limits.body_bytes} bytes.")
        return message
