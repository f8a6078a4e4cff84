"""DuckDB as an engine: one connection for a run, frames that are views, tables that are Delta through delta-rs."""

from __future__ import annotations

import struct
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lakelogic.catalogs.base import Access
from lakelogic.engines.base import Capabilities, Committed, Shared, Stamp
from lakelogic.engines.commits import require_commit
from lakelogic.engines.duckdb import changes, reading, writing
from lakelogic.engines.duckdb.errors import source_error, write_error
from lakelogic.engines.duckdb.frames import arrow_schema, arrow_source
from lakelogic.engines.duckdb.session import Frame, Session
from lakelogic.engines.duckdb.streams import Stream
from lakelogic.engines.duckdb.tables import Table, find_table, read_table, table_columns, unknown_table
from lakelogic.engines.duckdb.udf import register
from lakelogic.formats.arrow_types import columns_of
from lakelogic.plan.locations import Location
from lakelogic.plan.model import TablePlan
from lakelogic.sources.read import FilesToRead, TableToRead
from lakelogic.sources.versions import resolved, with_changes
from lakelogic.sql.duckdb.types import quoted, text
from lakelogic.sql.types import Columns

if TYPE_CHECKING:
    import pyarrow as pa


class DuckDBEngine:
    """Runs one contract in a database of its own, in memory and on disk where memory ends."""

    name = "duckdb"
    can = Capabilities()

    def __init__(self, warehouse: Path) -> None:
        self.session = Session()
        self._warehouse = warehouse
        self._streams: dict[Frame, tuple[Stream, ...]] = {}
        self._observed: dict[str, Frame] = {}
        self._tables: dict[tuple[str, Access], Table] = {}

    def files_columns(self, wanted: FilesToRead) -> FilesToRead:
        return reading.with_columns(wanted)

    def table_columns(self, wanted: TableToRead) -> tuple[TableToRead, Columns]:
        table = self._find(wanted.location, wanted.is_name)
        with self.session.told(source_error(table)):
            if wanted.is_name and not table.exists:
                raise unknown_table(wanted.location)
            opened = table.open(wanted.version)
            pinned = replace(wanted, version=opened.version(), rows=opened.count(), id=str(opened.metadata().id))
            return resolved(pinned, table.open, table.shown), with_changes(pinned, table_columns(opened))

    def frame_columns(self, frame: Any) -> Columns:
        return columns_of(arrow_schema(frame, self.name))

    def read_files(self, wanted: FilesToRead) -> Frame:
        with self.session.told(source_error(wanted.root)):
            frame, streams = reading.read_files(self.session, wanted)
        self._streams[frame] = streams
        return frame

    def read_table(self, wanted: TableToRead) -> Frame:
        table = self._find(wanted.location, wanted.is_name)
        with self.session.told(source_error(table)):
            if wanted.changes is not None:
                return changes.read(self.session, table, wanted, wanted.changes)
            return read_table(self.session, table.open(wanted.version))

    def adopt(self, frame: Any) -> Frame:
        """A frame of the caller, read through Arrow without copying it."""
        return self.session.own(frame) or self.session.register(arrow_source(frame, self.name))

    def handed(self, frame: Frame) -> Any:
        """A frame as the caller gets it: a relation, computed when it is looked at."""
        return self.session.relation(frame)

    def select(self, sql: str, relations: Mapping[str, Frame]) -> Frame:
        return self.session.select(sql, relations)

    def measure(self, sql: str, relations: Mapping[str, Frame]) -> Mapping[str, object]:
        return next(iter(self.rows(sql, relations, 1)), {})

    def rows(self, sql: str, relations: Mapping[str, Frame], limit: int) -> Sequence[Mapping[str, object]]:
        return self.head(self.select(sql, relations), limit)

    def head(self, frame: Frame, limit: int) -> Sequence[Mapping[str, object]]:
        with self.session.told(source_error("the rows")):
            return self.session.rows(frame, limit)

    def texts(self, columns: Mapping[str, Sequence[str | None]]) -> Frame:
        import pyarrow as pa

        return self.session.register(
            pa.table({name: pa.array(column, pa.string()) for name, column in columns.items()})
        )

    def keys(self, secrets: Mapping[str, bytes]) -> Frame:
        import pyarrow as pa

        register(self.session.connection)
        return self.session.register(pa.table({f"_ll_key_{name}": _single(value) for name, value in secrets.items()}))

    def broadcast(self, frame: Frame) -> Frame:
        return frame

    def union(self, frames: Sequence[Frame]) -> Frame:
        named = {f"part_{number}": frame for number, frame in enumerate(frames)}
        return self.session.select(" UNION ALL BY NAME ".join(f"FROM {name}" for name in named), named)

    def without(self, frame: Frame, columns: Sequence[str]) -> Frame:
        unwanted = {name.lower() for name in columns}
        kept = [quoted(name) for name in self.session.columns(frame) if name.lower() not in unwanted]
        return self.session.select(f"SELECT {', '.join(kept)} FROM source", {"source": frame})

    def observe(self, frame: Frame, name: str, metrics: Mapping[str, str]) -> Frame:
        if set(metrics) == {"rows"}:
            self._observed[name] = frame
        return frame

    def observed(self, name: str) -> Mapping[str, int] | None:
        """Rows that a reader of ours has counted while they passed; others must be counted by themselves."""
        counts = (
            [stream.rows for stream in self._streams.get(self._observed[name], ())] if name in self._observed else []
        )
        known = [rows for rows in counts if rows is not None]
        return {"rows": sum(known)} if counts and len(known) == len(counts) else None

    def gather(self, frame: Frame) -> Frame:
        """Expressions go over whole vectors, and a filter leaves a few rows in each."""
        return self.hold(frame)

    def hold(self, frame: Frame) -> Frame:
        with self.session.told(source_error("the source")):
            return self.session.hold(frame)

    def share(self, frame: Frame) -> Shared:
        with self.session.told(source_error("a reference")):
            return Shared(self.session.relation(frame).to_arrow_table(), lambda: None)

    def take(self, shared: Shared) -> Frame:
        return self.session.register(shared.rows)

    def write(self, table: TablePlan, frame: Frame, stamp: Stamp) -> Committed:
        found = self._find(table.location, table.is_name, "write")
        with self.session.told(write_error(found)):
            writing.write(self.session, found, table, frame, stamp)
            return require_commit(found.find_commit(stamp.run_id), found.shown, stamp.run_id)

    def has(self, table: TablePlan) -> bool:
        found = self._find(table.location, table.is_name)
        with self.session.told(source_error(found)):
            return found.exists

    def find_commit(self, table: TablePlan, run_id: str) -> Committed | None:
        found = self._find(table.location, table.is_name)
        with self.session.told(source_error(found)):
            return found.find_commit(run_id)

    def delete(self, table: TablePlan, column: str, value: str) -> None:
        found = self._find(table.location, table.is_name, "write")
        with self.session.told(write_error(found)):
            found.open().delete(f"{quoted(column)} = {text(value)}")

    def exists(self, table: TablePlan) -> bool:
        found = self._find(table.location, table.is_name)
        with self.session.told(source_error(found)):
            return found.exists

    def last_sequence(self, table: TablePlan, app_id: str) -> int:
        found = self._find(table.location, table.is_name)
        with self.session.told(source_error(found)):
            return found.last_sequence(app_id)

    def read_back(self, table: TablePlan, version: int | None) -> Frame:
        return self.read_table(TableToRead(table.location, table.is_name, version))

    def interrupt(self) -> None:
        self.session.connection.interrupt()

    def close(self) -> None:
        """Frames that were handed out read from the connection: it ends with the last of them."""

    def _find(self, location: str, is_name: bool, access: Access = "read") -> Table:
        """The table of a location, looked up once: a catalog may have to be asked."""
        wanted = location, access
        if wanted not in self._tables:
            self._tables[wanted] = find_table(Location(location, is_name), self._warehouse, access)
        return self._tables[wanted]


def _single(value: bytes) -> pa.Array:
    """A column of one value; made of a list, Arrow would load pandas to look whether it is one of its own."""
    import pyarrow as pa

    ends = pa.py_buffer(struct.pack("<2i", 0, len(value)))
    return pa.Array.from_buffers(pa.binary(), 1, [None, ends, pa.py_buffer(value)])
