"""parquet and orc files as record batches, where DuckDB does not open them itself."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from lakelogic.errors import SourceError, first_line
from lakelogic.formats.bytes import open_file
from lakelogic.plan.names import POSITION

if TYPE_CHECKING:
    import pyarrow as pa

_BATCH_ROWS = 65_536


def orc_batches(path: str, schema: pa.Schema) -> Iterator[pa.RecordBatch]:
    """The rows of an orc file, stripe by stripe.

    Raises:
        SourceError: it can't be read.
    """
    from pyarrow import ArrowException, Table
    from pyarrow.orc import ORCFile

    try:
        with open_file(path) as stream:
            file = ORCFile(stream)
            for number in range(file.nstripes):
                yield from Table.from_batches([file.read_stripe(number)]).cast(schema).to_batches()
    except (ArrowException, OSError) as error:
        raise SourceError(f"can't read {path}: {first_line(error)}") from None


def parquet_batches(path: str, schema: pa.Schema) -> Iterator[pa.RecordBatch]:
    """The rows of a parquet file, with their numbers.

    Raises:
        SourceError: it can't be read.
    """
    import pyarrow as pa
    from pyarrow.parquet import ParquetFile

    try:
        with open_file(path) as stream:
            before = 0
            for batch in ParquetFile(stream).iter_batches(_BATCH_ROWS):
                rows = batch.num_rows
                for part in pa.Table.from_batches([batch]).cast(schema).combine_chunks().to_batches():
                    yield part.append_column(POSITION.name, pa.array(range(before, before + rows), pa.int64()))
                before += rows
    except (pa.ArrowException, OSError) as error:
        raise SourceError(f"can't read {path}: {first_line(error)}") from None
