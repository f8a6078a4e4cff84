"""json files as record batches: lines or documents, with the columns of all records."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

from lakelogic.engines.duckdb.json_types import Found, found_in, merged, shapes_of, type_of
from lakelogic.engines.duckdb.text_files import as_text
from lakelogic.errors import SourceError
from lakelogic.formats.arrow_types import arrow_schema
from lakelogic.formats.base import Layout, ReadOptions, refuse_repeated
from lakelogic.formats.bytes import open_bytes
from lakelogic.formats.encodings import not_text
from lakelogic.formats.json import is_document
from lakelogic.plan.names import MALFORMED
from lakelogic.sources.read import FilesToRead
from lakelogic.sql.types import STRING, Column, Columns

if TYPE_CHECKING:
    import pyarrow as pa

Object = dict[str, Any]


class Row(NamedTuple):
    """The members of a record, or the text of a malformed one; `size` is how long it is in the file."""

    members: Object
    malformed: str | None
    size: int


_BATCH_ROWS = 10_000
_BATCH_CHARACTERS = 16 << 20
# A record becomes many times its length when it is taken apart.
_LONGEST_RECORD = 128 << 20
_SINGLE_QUOTED = re.compile(r"""("(?:[^"\\]|\\.)*")|'((?:[^'\\]|\\.)*)'""")


def json_layouts(wanted: FilesToRead) -> tuple[Layout, ...]:
    """The columns of files that are one document each, and of files of lines, from all their records."""
    declared = tuple(name for name in wanted.as_text if name not in wanted.partitions)
    paths = [file.path for file in wanted.files if file.size]
    documents = {path for path in paths if is_document(path, wanted.options)}
    groups = (tuple(p for p in paths if p in documents), tuple(p for p in paths if p not in documents))
    return tuple(Layout(_columns(group, declared, wanted.options), group) for group in groups if group)


def json_batches(path: str, columns: Columns, options: ReadOptions) -> Iterator[pa.RecordBatch]:
    """The records of one file, with a column for the text of those that are malformed.

    Raises:
        SourceError: the file can't be read, or a record is too long.
    """
    import pyarrow as pa

    schema = arrow_schema(columns).append(pa.field(MALFORMED.name, pa.string()))
    shapes = shapes_of(columns)
    for rows in _chunks(_rows(path, options)):
        values = [[shape(row.members.get(name)) for row in rows] for name, shape in shapes.items()]
        columns_of_rows = [*values, [row.malformed for row in rows]]
        arrays = [pa.array(each, kind) for each, kind in zip(columns_of_rows, schema.types, strict=True)]
        yield pa.RecordBatch.from_arrays(arrays, schema=schema)


def _columns(paths: Iterable[str], declared: tuple[str, ...], options: ReadOptions) -> Columns:
    members: dict[str, Found] = {}
    for path in paths:
        for row in _rows(path, options):
            for name, value in row.members.items():
                members[name] = merged(members.get(name), found_in(value))
        refuse_repeated(path, Columns(tuple(Column(name) for name in sorted(members))))
    typed = ((name, type_of(kind)) for name, kind in sorted(members.items()))
    columns = Columns(tuple(Column(name, kind) for name, kind in typed if kind is not None))
    present = {column.name.lower(): column.name for column in columns}
    return columns.with_(*(Column(present.get(name.lower(), name), STRING) for name in declared))


def _rows(path: str, options: ReadOptions) -> Iterator[Row]:
    """Each record as an object; one that is malformed is empty, with its text beside it."""
    for text in _records(path, options):
        if len(text) > _LONGEST_RECORD:
            raise SourceError(
                f"{path} has a record of {len(text) >> 20} million characters, and at most {_LONGEST_RECORD >> 20} can be read.",
                cure="Split it, or run with --engine spark.",
            )
        objects = _objects(text)
        if objects is None:
            yield Row({}, text, len(text))
        else:
            yield from (Row(found, None, len(text) // len(objects)) for found in objects)


def _records(path: str, options: ReadOptions) -> Iterator[str]:
    try:
        with open_bytes(path) as stream:
            text = as_text(stream, options.encoding)
            if is_document(path, options):
                yield text.read()
                return
            for line in text:
                if line.strip():
                    yield line.rstrip("\n")
    except UnicodeDecodeError:
        raise not_text(path, options.encoding) from None


def _objects(text: str) -> list[Object] | None:
    """The objects of a record; None where it is malformed. What follows the first value is not looked at."""
    try:
        value, _ = _DECODER.raw_decode(text.lstrip())
    except (ValueError, RecursionError):
        plain = _SINGLE_QUOTED.sub(_double_quoted, text) if "'" in text else text
        return _objects(plain) if plain != text else None
    values = value if isinstance(value, list) else [value]
    return values if all(isinstance(each, dict) for each in values) else None


def _double_quoted(found: re.Match[str]) -> str:
    """Text in single quotes, which Spark takes as well, as json has it."""
    if found[1] is not None:
        return found[1]
    return '"' + found[2].replace("\\'", "'").replace('"', '\\"') + '"'


def _members(pairs: list[tuple[str, Any]]) -> Object:
    members = dict(pairs)
    if len(members) < len(pairs):
        raise SourceError("a record names one member twice.", cure="Rename one of them at the source.")
    return members


_DECODER = json.JSONDecoder(object_pairs_hook=_members)


def _chunks(rows: Iterable[Row]) -> Iterator[list[Row]]:
    chunk: list[Row] = []
    size = 0
    for row in rows:
        chunk.append(row)
        size += row.size
        if len(chunk) >= _BATCH_ROWS or size >= _BATCH_CHARACTERS:
            yield chunk
            chunk, size = [], 0
    if chunk:
        yield chunk
