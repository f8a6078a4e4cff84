"""DuckDB as an engine: one connection for a run, frames that are views, tables of several formats."""

from __future__ import annotations

import struct
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lakelogic.engines.base import Capabilities, Shared
from lakelogic.engines.duckdb import reading
from lakelogic.engines.duckdb.errors import source_error
from lakelogic.engines.duckdb.formats.delta import DeltaTables
from lakelogic.engines.duckdb.formats.files import file_tables
from lakelogic.engines.duckdb.formats.iceberg import IcebergTables
from lakelogic.engines.duckdb.frames import arrow_schema, arrow_source
from lakelogic.engines.duckdb.session import Frame, Session
from lakelogic.engines.duckdb.streams import Stream
from lakelogic.engines.duckdb.udf import register
from lakelogic.engines.table_format import TableFormat, TablesByFormat
from lakelogic.formats.arrow_types import columns_of
from lakelogic.plan.as_files import FILE_FORMATS
from lakelogic.plan.model import TablePlan
from lakelogic.sources.read import FilesToRead, TableToRead
from lakelogic.sql.duckdb.types import text
from lakelogic.sql.types import Columns

if TYPE_CHECKING:
    import pyarrow as pa


# A format is one line here and one file in formats/.
FORMATS: Mapping[str, Callable[[Session, Path], TableFormat[Frame]]] = {
    "delta": DeltaTables,
    "iceberg": IcebergTables,
    **{kind: file_tables(kind) for kind in FILE_FORMATS},
}


class DuckDBEngine(TablesByFormat[Frame]):
    """Runs one contract in a database of its own, in memory and on disk where memory ends."""

    name = "duckdb"
    can = Capabilities()

    def __init__(self, warehouse: Path) -> None:
        self.session = Session()
        self._warehouse = warehouse
        self._streams: dict[Frame, tuple[Stream, ...]] = {}
        self._observed: dict[str, Frame] = {}
        self._formats: dict[str, TableFormat[Frame]] = {}

    def files_columns(self, wanted: FilesToRead) -> FilesToRead:
        return reading.with_columns(wanted)

    def table_columns(self, wanted: TableToRead) -> tuple[TableToRead, Columns]:
        return self._format(wanted.format).pin(wanted)

    def frame_columns(self, frame: Any) -> Columns:
        return columns_of(arrow_schema(frame, self.name))

    def read_files(self, wanted: FilesToRead) -> Frame:
        with self.session.told(source_error(wanted.root)):
            frame, streams = reading.read_files(self.session, wanted)
        self._streams[frame] = streams
        return frame

    def read_table(self, wanted: TableToRead) -> Frame:
        return self._format(wanted.format).read(wanted)

    def adopt(self, frame: Any) -> Frame:
        """A frame of the caller, read through Arrow without copying it."""
        return self.session.own(frame) or self.session.register(arrow_source(frame, self.name))

    def handed(self, frame: Frame) -> Any:
        """A frame as the caller gets it: a relation, computed when it is looked at."""
        with self.session.told(source_error("the rows")):
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
        # Told by a condition, the names need not be known, which would take a look at all that the frame stands on.
        unwanted = ", ".join(text(name.lower()) for name in columns)
        kept = f"SELECT COLUMNS(lambda name: lower(name) NOT IN ({unwanted})) FROM source"
        return self.session.select(kept, {"source": frame})

    def observe(self, frame: Frame, name: str, metrics: Mapping[str, str]) -> Frame:
        if set(metrics) == {"rows"}:
            self._observed[name] = frame
        return frame

    def tally(self, frame: Frame, name: str, column: str, values: Sequence[str], shown: Sequence[str]) -> Frame:
        """Nothing is seen of rows on their way; reading them back costs little."""
        return frame

    def observed(self, name: str) -> Mapping[str, object] | None:
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

    def read_back(self, table: TablePlan, version: int | None) -> Frame:
        return self.read_table(TableToRead(table.location, table.is_name, version, format=table.format))

    def interrupt(self) -> None:
        self.session.connection.interrupt()

    def close(self) -> None:
        """Frames that were handed out read from the connection: it ends with the last of them."""

    def _format(self, name: str) -> TableFormat[Frame]:
        """How tables of a format are handled; made by the first that is asked for."""
        if name not in self._formats:
            self._formats[name] = FORMATS[name](self.session, self._warehouse)
        return self._formats[name]


def _single(value: bytes) -> pa.Array:
    """A column of one value; made of a list, Arrow would load pandas to look whether it is one of its own."""
    import pyarrow as pa

    ends = pa.py_buffer(struct.pack("<2i", 0, len(value)))
    return pa.Array.from_buffers(pa.binary(), 1, [None, ends, pa.py_buffer(value)])
