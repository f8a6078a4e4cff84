"""Our types by Arrow's."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlglot import exp

from lakelogic.sql.types import Columns
from lakelogic.sql.typing.lattice import digits_of, element, is_array, is_decimal, is_map, is_struct, map_parts, members

if TYPE_CHECKING:
    import pyarrow as pa


def arrow_schema(columns: Columns) -> pa.Schema:
    """The Arrow schema of some columns; what has no name in contracts is text."""
    import pyarrow as pa

    return pa.schema([pa.field(column.name, arrow_type(column.type)) for column in columns])


def arrow_type(data_type: exp.DataType) -> pa.DataType:
    """Arrow's own type for one of ours."""
    import pyarrow as pa

    if is_decimal(data_type):
        return pa.decimal128(*digits_of(data_type))
    if is_array(data_type):
        return pa.list_(arrow_type(element(data_type)))
    if is_map(data_type):
        return pa.map_(*(arrow_type(part) for part in map_parts(data_type)))
    if is_struct(data_type):
        return pa.struct([pa.field(name, arrow_type(kind)) for name, kind in members(data_type)])
    kinds = exp.DType
    plain = {
        kinds.TINYINT: pa.int8(),
        kinds.SMALLINT: pa.int16(),
        kinds.INT: pa.int32(),
        kinds.BIGINT: pa.int64(),
        kinds.FLOAT: pa.float32(),
        kinds.DOUBLE: pa.float64(),
        kinds.BOOLEAN: pa.bool_(),
        kinds.DATE: pa.date32(),
        kinds.BINARY: pa.binary(),
        kinds.TIMESTAMPTZ: pa.timestamp("us", tz="UTC"),
        kinds.TIMESTAMPNTZ: pa.timestamp("us"),
    }
    return plain.get(data_type.this, pa.string())
