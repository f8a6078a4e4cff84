"""Arrow types, as files and Delta tables declare them, in Spark's names."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from sqlglot import exp

from lakelogic.sql.types import UNKNOWN, Column, Columns, parse_type

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
