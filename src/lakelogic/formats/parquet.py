"""Parquet: columns and row counts from footers."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from sqlglot import exp

from lakelogic.errors import SourceError, first_line
from lakelogic.formats.arrow_types import columns_of
from lakelogic.formats.base import FileFormat, ReadOptions, formats
from lakelogic.formats.bytes import open_file
from lakelogic.sql.types import TIMESTAMP, Columns

if TYPE_CHECKING:
    from pyarrow.parquet import ParquetSchema


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
                return _with_instants(columns_of(footer.schema_arrow), footer.schema), footer.metadata.num_rows
        except (ArrowException, OSError) as error:
            raise SourceError(f"{path} is not a readable parquet file: {first_line(error)}") from None


def _with_instants(columns: Columns, schema: ParquetSchema) -> Columns:
    """Spark writes instants as INT96, which Arrow takes for times without a zone."""
    leaves = [schema.column(position) for position in range(len(schema))]
    paths = [leaf.path for leaf in leaves if leaf.physical_type == "INT96"]

    def has_instants(name: str) -> bool:
        return any(path == name or path.startswith(f"{name}.") for path in paths)

    return Columns(tuple(replace(c, type=_as_instants(c.type)) if has_instants(c.name) else c for c in columns))


def _as_instants(data_type: exp.DataType) -> exp.DataType:
    changed = data_type.copy()
    for part in changed.find_all(exp.DataType):
        if part.this == exp.DataType.Type.TIMESTAMPNTZ:
            part.set("this", TIMESTAMP.this)
    return changed
