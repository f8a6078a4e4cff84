"""Frames that a caller hands in: whatever speaks Arrow."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from lakelogic.engines.duckdb.streams import Stream
from lakelogic.errors import UsageError

if TYPE_CHECKING:
    import pyarrow as pa


def arrow_schema(frame: object, engine: str) -> pa.Schema:
    """The Arrow schema of a frame.

    Raises:
        UsageError: it is no frame that speaks Arrow.
    """
    import pyarrow as pa

    source: Any = arrow_source(frame, engine)
    if isinstance(source, (Stream, pa.Table)):
        return source.schema
    return pa.RecordBatchReader.from_stream(source).schema


def arrow_source(frame: object, engine: str) -> object:
    """A frame as something that DuckDB can go over more than once.

    Raises:
        UsageError: it is no frame that speaks Arrow.
    """
    import pyarrow as pa
    from duckdb import DuckDBPyRelation

    if isinstance(frame, DuckDBPyRelation):
        # It belongs to another connection, and each pass computes it anew.
        return Stream(frame.limit(0).to_arrow_table().schema, lambda: iter(frame.to_arrow_reader()))
    if isinstance(frame, pa.RecordBatchReader):
        return frame.read_all()
    if hasattr(frame, "__arrow_c_stream__"):
        return frame
    kind = f"{type(frame).__module__}.{type(frame).__name__}"
    raise UsageError(
        f"a frame for engine {engine} must speak Arrow, such as a DuckDB relation, a pyarrow Table or a Polars"
        f" DataFrame, not {kind}.",
        cure="Convert it first.",
    )
