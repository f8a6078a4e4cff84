"""Answers that are kept until what they were read from has changed."""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterable
from pathlib import Path
from threading import Lock
from typing import TypeVar, cast

T = TypeVar("T")

Stamp = tuple[object, ...]
_LOCKS = 16
# Two changes within one tick of a file system's clock leave the same time behind.
_TICK_NS = 100_000_000


class Remembered:
    """A bounded number of answers, each with the stamp of what it was read from; the longest unused go first.

    An answer that is made must not ask for another one here: that one may wait for the same lock.
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._kept: OrderedDict[Hashable, tuple[Stamp, object]] = OrderedDict()
        self._lock = Lock()
        self._making = tuple(Lock() for _ in range(_LOCKS))

    def get(self, key: Hashable, stamp: Stamp, make: Callable[[], T]) -> T:
        """What is kept under this stamp, else what is made now; many that ask at once wait for one that makes it."""
        if (found := self._find(key, stamp)) is not None:
            return cast("T", found[0])
        with self._making[hash(key) % _LOCKS]:
            if (found := self._find(key, stamp)) is not None:
                return cast("T", found[0])
            made = make()
            with self._lock:
                self._kept[key] = stamp, made
                self._kept.move_to_end(key)
                while len(self._kept) > self._most:
                    self._kept.popitem(last=False)
            return made

    def __len__(self) -> int:
        return len(self._kept)

    def _find(self, key: Hashable, stamp: Stamp) -> tuple[object] | None:
        with self._lock:
            kept = self._kept.get(key)
            if kept is None or kept[0] != stamp:
                return None
            self._kept.move_to_end(key)
            return (kept[1],)


def stamp_of(paths: Iterable[Path]) -> Stamp:
    """When files and folders last changed; what has changed just now gets a stamp that nothing equals later."""
    return tuple(_stamp(path) for path in paths)


def _stamp(path: Path) -> object:
    try:
        found = path.stat()
    except OSError:
        return None
    now = time.time_ns()
    return (found.st_ino, found.st_size, found.st_mtime_ns, now if now - found.st_mtime_ns < _TICK_NS else 0)
