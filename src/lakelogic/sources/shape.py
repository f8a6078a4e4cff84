"""What a source looks like: its columns, read from headers and footers, never from the rows."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import TYPE_CHECKING

from lakelogic.errors import SourceError
from lakelogic.sources.files import SourceFile, is_uri
from lakelogic.sql.types import STRING, Column, Columns, is_unknown, type_name

if TYPE_CHECKING:
    from pyarrow import NativeFile

_HEADER_BYTES = 1 << 20
_JSON_BUDGET = 4 << 20


@dataclass(frozen=True)
class Layout:
    """Files that share one set of columns, in file order."""

    columns: Columns
    files: tuple[str, ...]


@dataclass(frozen=True)
class Shape:
    """The columns of all files together, the layouts they come in, and the number of rows where files tell it."""

    columns: Columns
    layouts: tuple[Layout, ...]
    rows: int | None = None


def csv_shape(files: Iterable[SourceFile], *, delimiter: str, quote: str, header: bool, encoding: str) -> Shape:
    """Columns of csv files from their first lines; every one is a string.

    Raises:
        SourceError: a header names a column twice, or a file can't be read.
    """

    def read(file: SourceFile) -> tuple[Columns, int | None]:
        names = _csv_names(file.path, delimiter, quote, header, encoding)
        return Columns(tuple(Column(name, STRING) for name in names)), None

    return _combined([file for file in files if file.size], read)


def parquet_shape(files: Iterable[SourceFile]) -> Shape:
    """Columns and row count of parquet files from their footers."""
    from pyarrow import ArrowException
    from pyarrow.parquet import ParquetFile

    from lakelogic.sources.arrow_types import columns_of

    def read(file: SourceFile) -> tuple[Columns, int | None]:
        try:
            with _open(file.path) as stream:
                footer = ParquetFile(stream)
                return columns_of(footer.schema_arrow), footer.metadata.num_rows
        except (ArrowException, OSError) as error:
            raise SourceError(f"{file.path} is not a readable parquet file: {_first_line(error)}") from None

    return _combined(list(files), read)


def orc_shape(files: Iterable[SourceFile]) -> Shape:
    """Columns and row count of orc files from their footers."""
    from pyarrow import ArrowException
    from pyarrow.orc import ORCFile

    from lakelogic.sources.arrow_types import columns_of

    def read(file: SourceFile) -> tuple[Columns, int | None]:
        try:
            with _open(file.path) as stream:
                footer = ORCFile(stream)
                return columns_of(footer.schema), footer.nrows
        except (ArrowException, OSError) as error:
            raise SourceError(f"{file.path} is not a readable orc file: {_first_line(error)}") from None

    return _combined(list(files), read)


def json_is_document(path: str) -> bool:
    """Whether a json file is one document (an array, or an object over several lines) rather than lines."""
    with _open(path, compression="detect") as stream:
        head = stream.read(_HEADER_BYTES).decode("utf-8-sig", errors="replace").lstrip()
    if head.startswith("["):
        return True
    first = head.split("\n", 1)[0].strip()
    if not first.startswith("{") or len(head) >= _HEADER_BYTES:
        return False
    if _parsed(first) is None:
        # A broken first line of many is a bad row; a first line that opens an object alone is a document.
        return first == "{" or (not first.endswith("}") and head.rstrip().endswith("}") and _parsed(head) is not None)
    return False


def _combined(files: list[SourceFile], read: Callable[[SourceFile], tuple[Columns, int | None]]) -> Shape:
    with ThreadPoolExecutor(max_workers=8) as pool:
        shapes = list(pool.map(read, files))
    groups: dict[tuple[tuple[str, str], ...], tuple[Columns, list[str]]] = {}
    for file, (columns, _) in zip(files, shapes, strict=True):
        key = tuple((column.name, type_name(column.type)) for column in columns)
        groups.setdefault(key, (columns, []))[1].append(file.path)
    layouts = tuple(Layout(columns, tuple(paths)) for columns, paths in groups.values())
    for layout in layouts:
        _refuse_repeated(layout)
    counts = [rows for _, rows in shapes]
    known = [rows for rows in counts if rows is not None]
    return Shape(_union(layouts), layouts, sum(known) if len(known) == len(counts) else None)


def _union(layouts: tuple[Layout, ...]) -> Columns:
    """All columns in order of first sight; one that has two types in two files is read as text."""
    merged: dict[str, Column] = {}
    for layout in layouts:
        for column in layout.columns:
            known = merged.setdefault(column.name.lower(), column)
            if type_name(known.type) != type_name(column.type) or is_unknown(column.type):
                merged[column.name.lower()] = Column(known.name, STRING)
    return Columns(tuple(merged.values()))


def _refuse_repeated(layout: Layout) -> None:
    seen: dict[str, str] = {}
    for name in layout.columns.names:
        if (other := seen.get(name.lower())) is not None:
            what = (
                f"column '{name}' twice"
                if other == name
                else f"columns '{other}' and '{name}', which differ in case only"
            )
            raise SourceError(f"{layout.files[0]} has {what}.", cure="Rename one of them at the source.")
        seen[name.lower()] = name


def _csv_names(path: str, delimiter: str, quote: str, header: bool, encoding: str) -> list[str]:
    with _open(path, compression="detect") as stream:
        head = stream.read(_HEADER_BYTES)
    try:
        # A character may be cut at the end of what was read; the header is at its beginning.
        text = head.decode(encoding, errors="ignore" if len(head) == _HEADER_BYTES else "strict")
    except UnicodeDecodeError:
        raise SourceError(
            f"{path} is not {encoding} text.", cure="Name its encoding: 'source: {options: {encoding: latin1}}'."
        ) from None
    rows = csv.reader(io.StringIO(text.removeprefix("\ufeff"), newline=""), delimiter=delimiter, quotechar=quote)
    first = next((row for row in rows if row), [])
    if not header:
        return [f"_c{position}" for position in range(len(first))]
    return [name if name.strip() else f"_c{position}" for position, name in enumerate(first)]


def _open(path: str, compression: str | None = None) -> NativeFile:
    from pyarrow.fs import FileSystem, LocalFileSystem

    system, plain = FileSystem.from_uri(path) if is_uri(path) else (LocalFileSystem(), path)
    try:
        if compression:
            return system.open_input_stream(plain, compression=compression)
        return system.open_input_file(plain)
    except OSError as error:
        raise SourceError(f"can't read {path}: {_first_line(error)}") from None


def _first_line(error: Exception) -> str:
    return str(error).splitlines()[0] if str(error) else type(error).__name__


def json_names(files: Iterable[SourceFile], budget: int = _JSON_BUDGET) -> tuple[str, ...] | None:
    """The names in small JSON files, in order of first sight; None where there is too much to look through.

    Malformed records have no names: whoever reads the rows tells of them.
    """
    known = list(files)
    if sum(file.size for file in known) > budget:
        return None
    names: dict[str, None] = {}
    for file in known:
        with _open(file.path, compression="detect") as stream:
            text = stream.read().decode("utf-8-sig", errors="replace")
        for record in _records(text):
            names.update(dict.fromkeys(record))
    return tuple(names)


def _records(text: str) -> Iterator[dict[str, object]]:
    try:
        whole = json.loads(text)
    except ValueError:
        whole = [parsed for line in text.splitlines() if (parsed := _parsed(line)) is not None]
    for record in whole if isinstance(whole, list) else [whole]:
        if isinstance(record, dict):
            yield record


def _parsed(line: str) -> object:
    try:
        return json.loads(line)
    except ValueError:
        return None
