"""Record batches that can be gone over again: DuckDB reads a source once for each query."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from struct import pack
from typing import TYPE_CHECKING

from lakelogic.errors import LakeLogicError

if TYPE_CHECKING:
    import pyarrow as pa

Batches = Callable[[], "Iterator[pa.RecordBatch]"]


class Stream:
    """Batches of one schema, made anew for every reader. `rows` is known once a reader came to the end."""

    def __init__(self, schema: pa.Schema, batches: Batches) -> None:
        self.schema = schema
        self.rows: int | None = None
        self.failure: LakeLogicError | None = None
        self._batches = batches

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        import pyarrow as pa

        return pa.RecordBatchReader.from_batches(self.schema, self._counted()).__arrow_c_stream__(requested_schema)

    def _counted(self) -> Iterator[pa.RecordBatch]:
        rows = 0
        try:
            for batch in self._batches():
                rows += batch.num_rows
                yield batch
        except LakeLogicError as error:
            # DuckDB hands on the text of an error only.
            self.failure = error
            raise
        self.rows = rows


def constant(value: str, rows: int) -> pa.DictionaryArray:
    """One text for every row, held once."""
    import pyarrow as pa

    # Made of bytes: where pandas is installed, Arrow loads it to look at a value of Python.
    data = value.encode()
    ends = pa.py_buffer(pack("=2i", 0, len(data)))
    texts = pa.StringArray.from_buffers(1, ends, pa.py_buffer(data))
    index = pa.Array.from_buffers(pa.int8(), rows, [None, pa.py_buffer(bytes(rows))])
    return pa.DictionaryArray.from_arrays(index, texts)
