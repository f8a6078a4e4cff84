"""Arrow types in Spark's names, and the other way round."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from sqlglot import exp

from lakelogic.sql.types import UNKNOWN, Column, Columns, parse_type
from lakelogic.sql.typing.lattice import digits_of, element, is_array, is_decimal, is_map, is_struct, map_parts, members

if TYPE_CHECKING:
    import pyarrow as pa


def columns_of(schema: pa.Schema) -> Columns:
    """The columns of an Arrow schema."""
    return Columns(tuple(Column(field.name, _parse(spark_name(field.type))) for field in schema))


def _parse(name: str | None) -> exp.DataType:
    return parse_type(name) if name else UNKNOWN


def spark_name(data_type: pa.DataType) -> str | None:
    """Spark's name of an Arrow type, or None where Spark has no such type."""
    import pyarrow.types as t

    if t.is_decimal(data_type):
        return f"decimal({data_type.precision},{data_type.scale})"
    if t.is_timestamp(data_type):
        return "timestamp" if data_type.tz else "timestamp_ntz"
    if t.is_dictionary(data_type):
        return spark_name(data_type.value_type)
    if t.is_struct(data_type):
        return _composed("struct", [(f"`{f.name}`:", f.type) for f in data_type], joiner=",")
    if t.is_map(data_type):
        return _composed("map", [("", data_type.key_type), ("", data_type.item_type)], joiner=",")
    if t.is_list(data_type) or t.is_large_list(data_type) or t.is_fixed_size_list(data_type):
        return _composed("array", [("", data_type.value_type)], joiner=",")
    return next((name for test, name in _simple() if test(data_type)), None)


def _simple() -> tuple[tuple[Callable[[pa.DataType], bool], str], ...]:
    import pyarrow.types as t

    return (
        (t.is_boolean, "boolean"),
        (t.is_int8, "tinyint"),
        (t.is_int16, "smallint"),
        (t.is_uint8, "smallint"),
        (t.is_int32, "int"),
        (t.is_uint16, "int"),
        (t.is_int64, "bigint"),
        (t.is_uint32, "bigint"),
        (t.is_uint64, "decimal(20,0)"),
        (t.is_float16, "float"),
        (t.is_float32, "float"),
        (t.is_float64, "double"),
        (t.is_date, "date"),
        (t.is_string, "string"),
        (t.is_large_string, "string"),
        (t.is_string_view, "string"),
        (t.is_binary, "binary"),
        (t.is_large_binary, "binary"),
        (t.is_binary_view, "binary"),
        (t.is_fixed_size_binary, "binary"),
    )


def _composed(kind: str, parts: list[tuple[str, pa.DataType]], joiner: str) -> str | None:
    names = [(prefix, spark_name(part)) for prefix, part in parts]
    if any(name is None for _, name in names):
        return None
    return f"{kind}<{joiner.join(f'{prefix}{name}' for prefix, name in names)}>"


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
