"""Keys of a dimension's own, and the row that facts point to when their member is missing."""

from __future__ import annotations

from collections.abc import Mapping

from sqlglot import exp

from lakelogic.errors import ContractError
from lakelogic.sql.build import literal, quoted
from lakelogic.sql.render import RUN_ID
from lakelogic.sql.types import Columns, type_name
from lakelogic.write.clauses import null
from lakelogic.write.options import Dimension

# 128 bits: no two rows of a table meet, and it takes half of the room.
_HASH_LENGTH = 32
# Where a UUID has its dashes.
_PARTS = ((1, 8), (9, 4), (13, 4), (17, 4), (21, 12))


def made_key(dimension: Dimension, told_by: str) -> str:
    """The surrogate key of a row that is told from others by a struct; a repeated run makes the same one."""
    if dimension.kind == "hash":
        return f"substr(sha2(to_json({told_by}), 256), 1, {_HASH_LENGTH})"
    digest = f"sha2(concat('{RUN_ID}', to_json({told_by})), 256)"
    return "concat_ws('-', " + ", ".join(f"substr({digest}, {at}, {length})" for at, length in _PARTS) + ")"


def unknown_member(dimension: Dimension, columns: Columns, fixed: Mapping[str, str]) -> str:
    """A SELECT of the row, where the table does not have it; `fixed` are values that the strategy sets.

    Raises:
        ContractError: a default is for a column that is not there, or not of its type.
    """
    for name in dimension.defaults:
        if name not in columns:
            raise ContractError(f"unknown_member has a default for '{name}', which is no column of the target.")
    defaults = {columns.get(name).name: value for name, value in dimension.defaults.items()}
    values = {dimension.key: unknown_key(dimension), **fixed}
    for column in columns:
        if (value := defaults.get(column.name)) is not None:
            values[column.name] = f"CAST({literal(value, column.type).sql('spark')} AS {type_name(column.type)})"
    out = ", ".join(f"{values.get(column.name) or null(column.type)} AS {quoted(column.name)}" for column in columns)
    there = f"SELECT 1 AS _ll_one FROM target AS t WHERE t.{quoted(dimension.key)} = {values[dimension.key]}"
    return f"SELECT {out} FROM (SELECT 1 AS _ll_one) AS o LEFT ANTI JOIN ({there}) AS t ON o._ll_one = t._ll_one"


def unknown_key(dimension: Dimension) -> str:
    """The surrogate key of that row, as SQL."""
    return exp.Literal.string(dimension.unknown or "").sql("spark")
