"""Calls that may never return."""

from __future__ import annotations

from collections.abc import Callable
from threading import Thread
from typing import Generic, TypeVar

T = TypeVar("T")


class Waiting(Thread, Generic[T]):
    """A call in a thread of its own: the one that waits can stop waiting, and the process can end without it."""

    def __init__(self, call: Callable[[], T], name: str, seconds: float) -> None:
        super().__init__(name=name, daemon=True)
        self._call = call
        self.result: T | None = None
        self.error: BaseException | None = None
        self.start()
        self.join(seconds)

    @property
    def is_late(self) -> bool:
        """Whether it has not returned in time."""
        return self.is_alive()

    def run(self) -> None:
        try:
            self.result = self._call()
        except BaseException as error:  # noqa: BLE001 whatever it raises is told by the one who waits
            self.error = error
