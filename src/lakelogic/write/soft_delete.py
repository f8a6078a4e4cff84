"""Deleted rows that stay in the table: the columns that mark them."""

from __future__ import annotations

from sqlglot import exp

from lakelogic.sql.build import quoted, written
from lakelogic.sql.types import BIGINT, BOOLEAN, STRING, TIMESTAMP, Column, Columns, type_name
from lakelogic.write.options import SoftDelete


def marks(soft: SoftDelete, columns: Columns) -> tuple[Column, ...]:
    """The columns that the table has for it beside those of the rows."""
    kind = {bool: BOOLEAN, int: BIGINT}.get(type(soft.value), STRING)
    wanted = [Column(soft.column, kind)]
    wanted += [Column(soft.time, TIMESTAMP)] if soft.time else []
    wanted += [Column(soft.reason, STRING)] if soft.reason else []
    return tuple(column for column in wanted if column.name not in columns)


def living(soft: SoftDelete, column: Column) -> str:
    """The value of such a column in a row that is not deleted."""
    if column.name == soft.column and isinstance(soft.value, bool):
        return str(not soft.value).lower()
    return f"CAST(NULL AS {type_name(column.type)})"


def deleted(soft: SoftDelete, columns: Columns, at: str, reason: str) -> dict[str, str]:
    """The values of these columns in a row that is deleted."""
    values = {soft.column: _mark(soft), soft.time: at, soft.reason: f"'{reason}'"}
    known = [(columns.get(name), value) for name, value in values.items() if name]
    return {column.name: f"CAST({value} AS {type_name(column.type)})" for column, value in known}


def is_living(soft: SoftDelete, columns: Columns, table: str) -> str:
    """Whether a row of the table is not marked as deleted."""
    kind = type_name(columns.get(soft.column).type)
    return f"NOT ({table}.{quoted(soft.column)} <=> CAST({_mark(soft)} AS {kind}))"


def _mark(soft: SoftDelete) -> str:
    return exp.Literal.string(written(soft.value)).sql("spark")
