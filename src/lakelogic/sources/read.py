"""What to read, as data: files of one format, or a table at a version."""

from __future__ import annotations

from dataclasses import dataclass, field

from lakelogic.formats.base import FileFormat, Layout, ReadOptions, formats
from lakelogic.sources.files import SourceFile
from lakelogic.sql.types import BIGINT, STRING, Column, Columns

# Under these names a change feed tells of what kind a change is, and which commit made it.
CHANGE_TYPE = Column("_change_type", STRING)
COMMIT_VERSION = Column("_commit_version", BIGINT)


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
class Changes:
    """What was committed to a table after a version: from its change feed, or the files that were only added.

    `after` is None where all rows of the table count as new. `told` adds the columns CHANGE_TYPE and COMMIT_VERSION.
    """

    after: int | None = None
    told: bool = False
    feed: bool = False
    files: tuple[str, ...] = ()


@dataclass(frozen=True)
class TableToRead:
    """The path of a table or a catalog name; `version` is pinned before reading, `id` tells one table from its successor.

    `committed_ns` is when the version was committed, where that is known.
    """

    location: str
    is_name: bool
    version: int | None = None
    rows: int | None = None
    id: str | None = None
    committed_ns: int | None = None
    changes: Changes | None = None
    format: str = "delta"
