"""Pieces of Spark SQL that several strategies write their SELECTs with."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from sqlglot import exp, parse_one

from lakelogic.sql.build import orderable, quoted
from lakelogic.sql.types import Column, type_name
from lakelogic.write.options import Cdc

# Columns of a batch on its way into a table, and of none that is stored.
DELETE = "_ll_delete"
GONE = "_ll_gone"
# The times of deletes that were seen, in a table of their own.
DELETED_AT = "_deleted_at"


def query(text: str) -> exp.Query:
    """SQL of our own, as a tree."""
    parsed = parse_one(text, read="spark")
    if not isinstance(parsed, exp.Query):
        raise TypeError(text)
    return parsed


def listed(names: Iterable[str], table: str = "") -> str:
    """Columns for a SELECT."""
    before = f"{table}." if table else ""
    return ", ".join(f"{before}{quoted(name)}" for name in names)


def null(data_type: exp.DataType) -> str:
    """No value, of a type."""
    return f"CAST(NULL AS {type_name(data_type)})"


def nulls(columns: Iterable[Column]) -> str:
    """Columns without values, for a SELECT."""
    return ", ".join(f"{null(column.type)} AS {quoted(column.name)}" for column in columns)


def same(names: Iterable[str], left: str, right: str, sign: str = "=") -> str:
    """Two relations have the same values in some columns."""
    return " AND ".join(f"{left}.{quoted(name)} {sign} {right}.{quoted(name)}" for name in names)


def ties(columns: Iterable[Column], direction: str) -> list[str]:
    """An order for rows that are alike in all that counts: by their values, NULL below all others."""
    nulls = "FIRST" if direction == "ASC" else "LAST"
    return [f"{orderable(column).sql('spark')} {direction} NULLS {nulls}" for column in columns]


def is_delete(cdc: Cdc) -> str:
    """Whether a row of the batch tells of a delete."""
    if cdc.op is None:
        return "false"
    values = ", ".join(exp.Literal.string(value).sql("spark") for value in cdc.deletes)
    return f"coalesce(CAST({quoted(cdc.op)} AS STRING) IN ({values}), false)"


def of_batch(relation: str, columns: Sequence[str], keys: Sequence[str]) -> str:
    """A SELECT of those rows of a relation whose key is in the batch."""
    return f"SELECT {listed(columns, 'r')} FROM {relation} AS r LEFT SEMI JOIN source AS s ON {same(keys, 'r', 's')}"


def nested(steps: Mapping[str, str], query: str) -> str:
    """Queries of which each reads the one before by its name, as one.

    Not a WITH clause: Spark loses sight of one inside a query whose rows are kept.
    """
    for name, step in reversed(list(steps.items())):
        before, after = query.split(f"FROM {name}", 1)
        called = "" if after.startswith(" AS ") else f" AS {name}"
        query = f"{before}FROM ({step}){called}{after}"
    return query
