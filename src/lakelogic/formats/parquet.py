"""Parquet: columns and row counts from footers."""

from __future__ import annotations

from lakelogic.errors import SourceError
from lakelogic.formats.arrow_types import columns_of
from lakelogic.formats.base import FileFormat, ReadOptions, formats
from lakelogic.formats.bytes import first_line, open_file
from lakelogic.sql.types import Columns


@formats.add("parquet")
class Parquet(FileFormat):
    """Typed columns, with a footer that tells them."""

    tells_positions = True

    def columns(self, path: str, options: ReadOptions) -> tuple[Columns, int | None]:
        from pyarrow import ArrowException
        from pyarrow.parquet import ParquetFile

        try:
            with open_file(path) as stream:
                footer = ParquetFile(stream)
                return columns_of(footer.schema_arrow), footer.metadata.num_rows
        except (ArrowException, OSError) as error:
            raise SourceError(f"{path} is not a readable parquet file: {first_line(error)}") from None
