"""Reading files with DuckDB: declared columns, nothing inferred that a contract declares."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from lakelogic.engines.duckdb.columnar_records import orc_batches, parquet_batches
from lakelogic.engines.duckdb.csv_quotes import refuse_torn
from lakelogic.engines.duckdb.csv_records import csv_batches
from lakelogic.engines.duckdb.json_records import json_batches, json_layouts
from lakelogic.engines.duckdb.session import Frame, Session, converted
from lakelogic.engines.duckdb.streams import Stream, constant
from lakelogic.errors import SourceError
from lakelogic.formats.arrow_types import arrow_schema
from lakelogic.formats.base import Layout, union_of
from lakelogic.formats.bytes import is_uri
from lakelogic.formats.odd_text import refuse_mixed_ends
from lakelogic.plan.names import FILE, MALFORMED, POSITION
from lakelogic.sources.read import FilesToRead
from lakelogic.sql.build import ref
from lakelogic.sql.convert import as_text
from lakelogic.sql.duckdb.render import to_duckdb
from lakelogic.sql.duckdb.types import duckdb_type, quoted, text
from lakelogic.sql.types import STRING, Column, Columns, is_unknown, type_name

if TYPE_CHECKING:
    import pyarrow as pa

_GLOB = re.compile(r"([\[*?])")
_ROW_NUMBER = "file_row_number"
_NO_PARTITION = "__HIVE_DEFAULT_PARTITION__"


def with_columns(wanted: FilesToRead) -> FilesToRead:
    """Find the columns of JSON files by looking at all of them: a sample would miss some."""
    layouts = json_layouts(wanted)
    return replace(wanted, columns=union_of(layouts), layouts=layouts)


def read_files(session: Session, wanted: FilesToRead) -> tuple[Frame, tuple[Stream, ...]]:
    """All files of the source as one frame, with the hidden columns of origin, and the streams that it reads from."""
    selects, streams = [], []
    for layout in wanted.layouts:
        if _is_native(wanted, layout):
            relation = _parquet(layout)
            selects.append(_aligned(wanted, layout, relation, session.types(relation)))
            continue
        if wanted.format == "csv":
            for path in layout.files:
                refuse_mixed_ends(path, wanted.options)
                refuse_torn(path, wanted.options)
        streams.append(Stream(_schema(wanted, layout), partial(_batches, wanted, layout)))
        relation = session.stream(streams[-1]).name
        selects.append(_aligned(wanted, layout, relation, session.types(relation)))
    return session.select(" UNION ALL ".join(selects) if selects else _nothing(wanted)), tuple(streams)


def _is_native(wanted: FilesToRead, layout: Layout) -> bool:
    """Whether DuckDB opens the files itself. It names the number of a row itself, too."""
    return wanted.format == "parquet" and not is_uri(wanted.root) and _ROW_NUMBER not in layout.columns


def _parquet(layout: Layout) -> str:
    # A pattern of one character means just that character.
    files = ", ".join(text(_GLOB.sub(r"[\1]", path)) for path in layout.files)
    named = f"filename = {text(FILE.name)}, {_ROW_NUMBER} = true, hive_partitioning = false"
    return f"(SELECT *, {_ROW_NUMBER} AS {POSITION.name} FROM read_parquet([{files}], {named}))"


def _aligned(wanted: FilesToRead, layout: Layout, relation: str, types: Mapping[str, str]) -> str:
    """A SELECT of the columns of all layouts, in one order and with one type each."""
    out = []
    for column in wanted.columns:
        own = layout.columns.find(column.name)
        value = _value(column, own, types.get(own.name) if own else None)
        out.append(f"{value} AS {quoted(column.name)}")
    out += [f"{_partition(wanted, name)} AS {quoted(name)}" for name in wanted.partitions]
    position = f"CAST({POSITION.name} AS BIGINT)" if wanted.kind.tells_positions else "CAST(NULL AS BIGINT)"
    out += [f"CAST({FILE.name} AS VARCHAR) AS {FILE.name}", f"{position} AS {POSITION.name}"]
    if wanted.kind.may_be_malformed:
        out.append(MALFORMED.name)
    return f"SELECT {', '.join(out)} FROM {relation}"


def _value(column: Column, own: Column | None, found: str | None) -> str:
    kind = "VARCHAR" if is_unknown(column.type) else duckdb_type(column.type)
    if own is None:
        return converted(column.name, None, kind)
    if type_name(own.type) != type_name(column.type) and not is_unknown(own.type):
        return to_duckdb(as_text(ref(own), own.type), Columns((own,)))
    return converted(own.name, found, kind)


def _partition(wanted: FilesToRead, name: str) -> str:
    """A value out of the names of folders below the root."""
    below = f"substr({FILE.name}, {len(wanted.root) + 1})"
    found = f"regexp_extract({below}, {text(f'/{re.escape(name)}=([^/]*)/')}, 1)"
    return f"NULLIF(url_decode({found}), {text(_NO_PARTITION)})"


def _nothing(wanted: FilesToRead) -> str:
    hidden = (FILE, POSITION, MALFORMED) if wanted.kind.may_be_malformed else (FILE, POSITION)
    columns = (*wanted.columns, *(Column(name, STRING) for name in wanted.partitions), *hidden)
    return (
        "SELECT "
        + ", ".join(f"CAST(NULL AS {duckdb_type(c.type)}) AS {quoted(c.name)}" for c in columns)
        + " WHERE false"
    )


def _schema(wanted: FilesToRead, layout: Layout) -> pa.Schema:
    import pyarrow as pa

    own = arrow_schema(layout.columns)
    if wanted.kind.may_be_malformed:
        own = own.append(pa.field(MALFORMED.name, pa.string()))
    if wanted.kind.tells_positions:
        own = own.append(pa.field(POSITION.name, pa.int64()))
    return own.append(pa.field(FILE.name, pa.dictionary(pa.int8(), pa.string())))


def _batches(wanted: FilesToRead, layout: Layout) -> Iterator[pa.RecordBatch]:
    for path in layout.files:
        for batch in _records(wanted, layout, path):
            yield batch.append_column(FILE.name, constant(path, batch.num_rows))


def _records(wanted: FilesToRead, layout: Layout, path: str) -> Iterator[pa.RecordBatch]:
    match wanted.format:
        case "csv":
            return csv_batches(path, layout.columns.names, wanted.options)
        case "json":
            return json_batches(path, layout.columns, wanted.options)
        case "orc":
            return orc_batches(path, arrow_schema(layout.columns))
        case "parquet":
            return parquet_batches(path, arrow_schema(layout.columns))
        case other:
            raise SourceError(f"DuckDB can't read files of format '{other}'.", cure="Run with --engine spark.")
