"""Reference data that the contracts of one invocation share: each is read once."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from threading import Lock
from typing import Any

from lakelogic.engines.base import Engine, Shared
from lakelogic.sources.discover import SourceSpec
from lakelogic.sources.read import TableToRead
from lakelogic.sql.types import Columns

Wanted = SourceSpec | TableToRead
Load = Callable[[Wanted, Engine[Any]], tuple[Any, Columns]]


@dataclass
class _Entry:
    """One reference; whoever comes while it is being read waits for it."""

    lock: Lock = field(default_factory=Lock)
    held: tuple[Shared, Columns] | None = None


class References:
    """Keeps what links have read. A table stays as it was when the first contract read it."""

    def __init__(self) -> None:
        self.reads = 0
        self.saved = 0
        self._lock = Lock()
        self._entries: dict[str, _Entry] = {}

    def read(self, wanted: Wanted, engine: Engine[Any], load: Load) -> tuple[Any, Columns]:
        """The rows and columns of a reference, read if nobody has yet."""
        with self._lock:
            entry = self._entries.setdefault(f"{engine.name} {wanted}", _Entry())
        with entry.lock:
            held = entry.held
            self._count(known=held is not None)
            if held is None:
                frame, columns = load(wanted, engine)
                held = entry.held = engine.share(frame), columns
        shared, columns = held
        return engine.take(shared), columns

    def _count(self, *, known: bool) -> None:
        with self._lock:
            self.reads += not known
            self.saved += known

    def close(self) -> None:
        """Let go of everything."""
        for entry in self._entries.values():
            if entry.held is not None:
                entry.held[0].release()
        self._entries.clear()
