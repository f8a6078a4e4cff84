"""Reading what was committed to a Delta table since a version, through delta-rs."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from lakelogic.engines.duckdb.session import Frame, Session
from lakelogic.engines.duckdb.streams import Stream
from lakelogic.engines.duckdb.tables import Table, read_files_of, read_table
from lakelogic.sources.read import CHANGE_TYPE, COMMIT_VERSION, Changes, TableToRead
from lakelogic.sources.versions import NEW_ROWS
from lakelogic.sql.duckdb.types import quoted, text

if TYPE_CHECKING:
    import pyarrow as pa
    from deltalake import DeltaTable


def read(session: Session, table: Table, wanted: TableToRead, changes: Changes) -> Frame:
    """The rows that were inserted, updated and, where it is told what each is, deleted."""
    opened = table.open(wanted.version)
    if changes.after is None:
        return _as_inserts(session, read_table(session, opened), changes, opened.version())
    if changes.feed:
        return _feed(session, opened, changes, opened.version())
    return read_files_of(session, opened, changes.files)


def _as_inserts(session: Session, rows: Frame, changes: Changes, version: int) -> Frame:
    if not changes.told:
        return rows
    told = f"'insert' AS {CHANGE_TYPE.name}, CAST({version} AS BIGINT) AS {COMMIT_VERSION.name}"
    return session.select(f"SELECT *, {told} FROM source", {"source": rows})


def _feed(session: Session, table: DeltaTable, changes: Changes, until: int) -> Frame:
    import pyarrow as pa

    own = pa.schema(table.schema().to_arrow())
    schema = own.append(pa.field(CHANGE_TYPE.name, pa.string())).append(pa.field(COMMIT_VERSION.name, pa.int64()))
    rows = session.stream(Stream(schema, lambda: _batches(table, changes, until, schema)))
    names = schema.names if changes.told else own.names
    kinds = ("delete", *NEW_ROWS) if changes.told else NEW_ROWS
    wanted = ", ".join(text(kind) for kind in kinds)
    select = f"SELECT {', '.join(quoted(name) for name in names)} FROM source WHERE {CHANGE_TYPE.name} IN ({wanted})"
    return session.select(select, {"source": rows})


def _batches(table: DeltaTable, changes: Changes, until: int, schema: pa.Schema) -> Iterator[pa.RecordBatch]:
    import pyarrow as pa

    feed = table.load_cdf(starting_version=(changes.after or 0) + 1, ending_version=until, columns=schema.names)
    yield from pa.RecordBatchReader.from_stream(feed).cast(schema)
