"""Spark's schemas and our columns."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from sqlglot import exp

from lakelogic.errors import ContractError
from lakelogic.sql.types import UNKNOWN, Column, Columns, parse_type, type_name

if TYPE_CHECKING:
    from pyspark.sql.types import DataType, StructType


def columns_of(schema: StructType) -> Columns:
    """The columns of a Spark schema; a type that contracts have no name for is unknown."""
    return Columns(tuple(Column(field.name, _type_of(field.dataType)) for field in schema.fields))


def _type_of(data_type: DataType) -> exp.DataType:
    try:
        return parse_type(_sql_name(data_type))
    except ContractError:
        return UNKNOWN


def _sql_name(data_type: DataType) -> str:
    """Like simpleString, with names of struct members quoted."""
    from pyspark.sql.types import ArrayType, MapType, StructType

    if isinstance(data_type, StructType):
        return "struct<" + ",".join(f"`{f.name}`:{_sql_name(f.dataType)}" for f in data_type.fields) + ">"
    if isinstance(data_type, ArrayType):
        return f"array<{_sql_name(data_type.elementType)}>"
    if isinstance(data_type, MapType):
        return f"map<{_sql_name(data_type.keyType)},{_sql_name(data_type.valueType)}>"
    return data_type.simpleString()


def spark_schema(columns: Columns) -> StructType:
    """The Spark schema of some columns."""
    from pyspark.sql.types import StructField, StructType

    return StructType([StructField(c.name, _parsed(type_name(c.type))) for c in columns])


@lru_cache(maxsize=1024)
def _parsed(name: str) -> DataType:
    """Spark's type of a name. It is asked over the wire and answers in tries, and columns have few types."""
    from pyspark.sql.types import _parse_datatype_string

    return _parse_datatype_string(name)
