"""Polars as an engine: its frames at both ends, DuckDB over Arrow in between."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lakelogic.engines.duckdb.engine import DuckDBEngine
from lakelogic.engines.duckdb.session import Frame
from lakelogic.engines.duckdb.streams import Stream
from lakelogic.errors import UsageError
from lakelogic.formats.arrow_types import columns_of
from lakelogic.sql.types import Columns

if TYPE_CHECKING:
    import polars as pl
    import pyarrow as pa

_BATCH_ROWS = 100_000


class PolarsEngine(DuckDBEngine):
    """Runs one contract for frames of Polars; a lazy frame in gives lazy frames out."""

    name = "polars"

    def __init__(self, warehouse: Path) -> None:
        super().__init__(warehouse)
        self._lazy = False

    def frame_columns(self, frame: Any) -> Columns:
        return columns_of(_schema(_polars_frame(frame)))

    def adopt(self, frame: Any) -> Frame:
        import polars as pl

        given = _polars_frame(frame)
        if isinstance(given, pl.DataFrame):
            return self.session.register(given.to_arrow())
        self._lazy = True
        return self.session.stream(Stream(_schema(given), lambda: _batches(given)))

    def handed(self, frame: Frame) -> Any:
        """A frame as the caller gets it: computed now, or whenever it is looked at where a lazy one was given."""
        import polars as pl

        if not self._lazy:
            return pl.DataFrame(self.session.relation(frame).to_arrow_table())
        empty = pl.DataFrame(self.session.relation(frame).limit(0).to_arrow_table())
        return pl.defer(
            lambda: pl.DataFrame(self.session.relation(frame).to_arrow_table()),
            schema=empty.schema,
            validate_schema=False,
        )


def _polars_frame(frame: object) -> pl.DataFrame | pl.LazyFrame:
    import polars as pl

    if isinstance(frame, (pl.DataFrame, pl.LazyFrame)):
        return frame
    kind = f"{type(frame).__module__}.{type(frame).__name__}"
    raise UsageError(
        f"a frame for Polars must be a Polars DataFrame or LazyFrame, not {kind}.", cure="Convert it first."
    )


def _schema(frame: pl.DataFrame | pl.LazyFrame) -> pa.Schema:
    return frame.lazy().head(0).collect().to_arrow().schema


def _batches(frame: pl.LazyFrame) -> Iterator[pa.RecordBatch]:
    """The rows of a lazy frame, a part at a time, so that they need not fit into memory."""
    for part in frame.collect_batches(chunk_size=_BATCH_ROWS):
        yield from part.to_arrow().to_batches()
