"""What to read, as data: files of one format, or a table at a version."""

from __future__ import annotations

from dataclasses import dataclass, field

from lakelogic.formats.base import FileFormat, Layout, ReadOptions, formats
from lakelogic.sources.files import SourceFile
from lakelogic.sql.types import Columns


@dataclass(frozen=True)
class FilesToRead:
    """Files, and the columns that reading them yields."""

    format: str
    root: str
    files: tuple[SourceFile, ...]
    columns: Columns = field(default_factory=Columns)
    layouts: tuple[Layout, ...] = ()
    partitions: tuple[str, ...] = ()
    options: ReadOptions = field(default_factory=ReadOptions)
    rows: int | None = None
    # Declared columns are read as text and cast by the plan, so that a bad value is seen and not lost.
    as_text: tuple[str, ...] = ()

    @property
    def kind(self) -> FileFormat:
        """What is known of the format."""
        return formats.get(self.format)()


@dataclass(frozen=True)
class TableToRead:
    """A Delta path or a catalog name; `version` is pinned before reading."""

    location: str
    is_name: bool
    version: int | None = None
    rows: int | None = None
