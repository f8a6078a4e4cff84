"""Spark's types by DuckDB's names."""

from __future__ import annotations

from sqlglot import exp

from lakelogic.errors import SqlError
from lakelogic.sql.types import type_name
from lakelogic.sql.typing.lattice import digits_of, element, is_array, is_decimal, is_map, is_struct, map_parts, members
from lakelogic.sql.typing.lattice import normal as normal_type

_Type = exp.DType
_PLAIN = {
    _Type.TEXT: "VARCHAR",
    _Type.TINYINT: "TINYINT",
    _Type.SMALLINT: "SMALLINT",
    _Type.INT: "INTEGER",
    _Type.BIGINT: "BIGINT",
    _Type.FLOAT: "FLOAT",
    _Type.DOUBLE: "DOUBLE",
    _Type.BOOLEAN: "BOOLEAN",
    _Type.DATE: "DATE",
    _Type.TIMESTAMPTZ: "TIMESTAMPTZ",
    _Type.TIMESTAMPNTZ: "TIMESTAMP",
    _Type.BINARY: "BLOB",
}


def duckdb_type(data_type: exp.DataType) -> str:
    """DuckDB's name of a Spark type: `timestamp` is TIMESTAMPTZ, `timestamp_ntz` is TIMESTAMP.

    Raises:
        SqlError: a type that is not known, or that DuckDB does not have.
    """
    found = normal_type(data_type)
    if found.this in _PLAIN:
        return _PLAIN[found.this]
    if is_decimal(found):
        digits, scale = digits_of(found)
        return f"DECIMAL({digits},{scale})"
    if is_array(found):
        return f"{duckdb_type(element(found))}[]"
    if is_map(found):
        key, value = map_parts(found)
        return f"MAP({duckdb_type(key)}, {duckdb_type(value)})"
    if is_struct(found):
        parts = ", ".join(f"{quoted(name)} {duckdb_type(kind)}" for name, kind in members(found))
        return f"STRUCT({parts})"
    raise SqlError(
        f"duckdb has no type for {type_name(found)}.",
        cure="Declare the column's type in the model, or run with --engine spark.",
    )


def quoted(name: str) -> str:
    """A name as DuckDB quotes it."""
    return '"' + name.replace('"', '""') + '"'


def text(value: str) -> str:
    """A text literal. DuckDB knows no escapes in it but the doubled quote."""
    return "'" + value.replace("'", "''") + "'"
