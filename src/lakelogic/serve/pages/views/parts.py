"""Parts that several pages have: tiles, and lists in pages."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import urlencode


@dataclass(frozen=True)
class Tile:
    """A figure that is worth a look, and where to read more."""

    label: str
    value: str
    more: str
    link: str


@dataclass(frozen=True)
class Paging:
    """Which part of a long list is shown; `before` and `after` are the addresses of its neighbours."""

    size: int
    offset: int
    total: int
    before: str | None
    after: str | None

    @property
    def first(self) -> int:
        return min(self.offset + 1, self.total)

    @property
    def last(self) -> int:
        return min(self.offset + self.size, self.total)


def address(path: str, asked: Mapping[str, object]) -> str:
    """A path with the parameters that say something."""
    query = urlencode({name: value for name, value in asked.items() if value not in ("", None, 0)})
    return f"{path}?{query}" if query else path


def paging(path: str, asked: Mapping[str, object], size: int, offset: int, total: int) -> Paging:
    """The part of a list that begins at an offset."""
    before = address(path, {**asked, "offset": max(offset - size, 0)}) if offset else None
    after = address(path, {**asked, "offset": offset + size}) if offset + size < total else None
    return Paging(size, offset, total, before, after)
