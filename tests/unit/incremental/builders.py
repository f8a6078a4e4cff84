"""A past that is told, and sources as contracts declare them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from lakelogic.contract.source import Source
from lakelogic.plan.rows import RowWindow
from lakelogic.sources.files import Listing, SourceFile
from lakelogic.sources.watermarks.base import Asked, Choice, strategy_of, watermarks


@dataclass(frozen=True)
class Told:
    """What runs before have read, as a test says it."""

    files: frozenset[SourceFile] = frozenset()
    windows: Mapping[str, RowWindow] = field(default_factory=dict)
    version: int | None = None

    @property
    def is_empty(self) -> bool:
        return not self.files

    @property
    def newest_ns(self) -> int | None:
        return max((file.modified_ns for file in self.files), default=None)

    def has(self, file: SourceFile) -> bool:
        return file in self.files

    def has_path(self, path: str) -> bool:
        return path in {file.path for file in self.files}

    def window(self, column: str) -> RowWindow | None:
        return self.windows.get(column)


def file(name: str, modified_ns: int = 1, size: int = 1) -> SourceFile:
    return SourceFile(f"/in/{name}", size, modified_ns)


def chosen(
    source: Mapping[str, object],
    files: list[SourceFile] | None = None,
    past: Told | None = None,
    folder: Path = Path("/"),
) -> Choice:
    """What the strategy of a source chooses; without files the source is a table."""
    declared = Source.model_validate({"load_mode": "incremental", "path": "in", **source})
    listing = Listing("/in", tuple(files)) if files is not None else None
    strategy = watermarks.get(strategy_of(declared, is_table=listing is None))()
    return strategy.choose(Asked(declared, listing, past or Told(), folder))
