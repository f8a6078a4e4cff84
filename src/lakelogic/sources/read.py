"""What to read, as data: files of one format, or a table at a version."""

from __future__ import annotations

from dataclasses import dataclass, field

from lakelogic.sources.files import SourceFile
from lakelogic.sources.shape import Layout
from lakelogic.sql.types import Columns


@dataclass(frozen=True)
class TextOptions:
    """How text files are written."""

    delimiter: str = ","
    quote: str = '"'
    header: bool = True
    encoding: str = "utf-8"
    null_values: tuple[str, ...] = ("",)
    comment: str | None = None
    multiline: bool | None = None


@dataclass(frozen=True)
class FilesToRead:
    """Files, and the columns that reading them yields."""

    format: str
    root: str
    files: tuple[SourceFile, ...]
    columns: Columns = field(default_factory=Columns)
    layouts: tuple[Layout, ...] = ()
    partitions: tuple[str, ...] = ()
    options: TextOptions = TextOptions()
    rows: int | None = None
    # Declared columns are read as text and cast by the plan, so that a bad value is seen and not lost.
    as_text: tuple[str, ...] = ()


@dataclass(frozen=True)
class TableToRead:
    """A Delta path or a catalog name; `version` is pinned before reading."""

    location: str
    is_name: bool
    version: int | None = None
    rows: int | None = None
