"""The application while it is being loaded: it tells that it is up, and lets all other visitors wait."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor

from starlette.types import ASGIApp, Receive, Scope, Send

from lakelogic.serve.answers import answer
from lakelogic.serve.limits import Limited, Limits

HEALTH_PATH = "/health"
HEALTH = {
    "ok": True,
    "schema": "lakehouse-contract-health-v1",
    "links": {"qualityReport": "/api/runtime/quality-report", "goldPreview": "/api/runtime/table-preview/gold"},
}


class Waking:
    """Loads an application in a thread, and hands requests on to it."""

    def __init__(self, make: Callable[[], ASGIApp]) -> None:
        self._health = Limited(answer(HEALTH), Limits())
        pool = ThreadPoolExecutor(1, thread_name_prefix="waking")
        self._made: Future[ASGIApp] = pool.submit(make)
        pool.shutdown(wait=False)

    def when_it_fails(self, tell: Callable[[], object]) -> None:
        """What to do if the application can't be loaded."""
        self._made.add_done_callback(lambda made: tell() if made.exception() else None)

    def raise_if_failed(self) -> None:
        """Raise what kept the application from being loaded, if something did."""
        if self._made.done():
            self._made.result()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and scope["path"] == HEALTH_PATH and not self._made.done():
            await self._health(scope, receive, send)
            return
        app = await asyncio.wrap_future(self._made)
        await app(scope, receive, send)
