"""Decisions that take their time: each works in a thread of its own, and the page asks how it goes."""

from __future__ import annotations

import secrets
from collections import OrderedDict
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from threading import Lock, Timer

from loguru import logger

from lakelogic.engines.opening import end_engines
from lakelogic.errors import LakeLogicError, RunBusy
from lakelogic.quarantine.lifecycle import Resolved
from lakelogic.serve.answers import NotFound
from lakelogic.serve.pages.states import Kind

_KEPT = 100
_WAITING = 8
# Somebody who decides often decides again soon, and an engine may take seconds to start.
_IDLE_SECONDS = 60.0


@dataclass(frozen=True)
class Job:
    """A decision: whether it still works, and what there is to tell."""

    id: str
    told: str
    kind: Kind = "idle"
    running: bool = False
    run_id: str | None = None


class Jobs:
    """Decisions of visitors, one after the other; those of other processes are kept apart by the contract's claims."""

    def __init__(self, idle_seconds: float = _IDLE_SECONDS) -> None:
        self._idle_seconds = idle_seconds
        self._idle: Timer | None = None
        self._pool = ThreadPoolExecutor(1, thread_name_prefix="review")
        self._kept: OrderedDict[str, tuple[str, Future[Resolved]]] = OrderedDict()
        self._lock = Lock()

    def start(self, word: str, work: Callable[[], Resolved]) -> Job:
        """Begin, and say so at once; `word` is what becomes of the rows, such as dropped.

        Raises:
            RunBusy: too many decisions are waiting.
        """
        with self._lock:
            if sum(not future.done() for _, future in self._kept.values()) >= _WAITING:
                raise RunBusy(f"{_WAITING} decisions are waiting already.", cure="Try again when they are done.")
            key = secrets.token_urlsafe(12)
            self._kept[key] = word, self._pool.submit(self._worked, work)
            while len(self._kept) > _KEPT:
                self._kept.popitem(last=False)
        return _working(key)

    def get(self, id: str) -> Job:
        """How a decision goes.

        Raises:
            NotFound: there was no such decision, or it was too long ago.
        """
        with self._lock:
            kept = self._kept.get(id)
        if kept is None:
            raise NotFound("that decision is not known any more.", cure="The run log tells what became of it.")
        word, future = kept
        if not future.done():
            return _working(id)
        error = future.exception()
        if error is None:
            return _done(id, word, future.result())
        if isinstance(error, LakeLogicError):
            return Job(id, str(error), "bad")
        logger.opt(exception=error).error("Rows were not {}", word)
        return Job(id, "It failed in a way that nobody expected; the server's log tells more.", "bad")

    def _worked(self, work: Callable[[], Resolved]) -> Resolved:
        if self._idle is not None:
            self._idle.cancel()
        try:
            return work()
        finally:
            # A JVM is not kept for a decision that may never come; it ends in the thread that would use it.
            self._idle = Timer(self._idle_seconds, self._pool.submit, (end_engines,))
            self._idle.daemon = True
            self._idle.start()


def _working(id: str) -> Job:
    return Job(id, "Working …", running=True)


def _done(id: str, word: str, resolved: Resolved) -> Job:
    run = resolved.run
    if run is None:
        return Job(id, "Nothing to do: no chosen row is active and has its original.")
    stay = run.counts.quarantined or 0
    asked = max(resolved.asked, run.counts.source or 0)
    left = f", {stay:,} stay active with new reasons" if stay else ""
    return Job(id, f"{asked - stay:,} of {asked:,} rows {word}{left}.", "warn" if stay else "good", run_id=run.run_id)
