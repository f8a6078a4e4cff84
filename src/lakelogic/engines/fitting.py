"""Whether rows fit into a table that is there; what does not fit is told in the same words on every engine."""

from __future__ import annotations

from lakelogic.errors import WriteError
from lakelogic.plan.model import TablePlan
from lakelogic.sql.types import Column, Columns, type_name

_WIDER = {
    "tinyint": ("smallint", "int", "bigint"),
    "smallint": ("int", "bigint"),
    "int": ("bigint",),
    "float": ("double",),
}


def refuse_new(shown: str, plan: TablePlan, there: Columns, given: Columns) -> None:
    """
    Raises:
        WriteError: rows bring a column that the table has not, and may not get.
    """
    new = [column.name for column in given if column.name not in there]
    if new and not plan.evolve:
        raise WriteError(
            f"{shown} has no column {', '.join(new)}, and schema_policy.evolution is strict.",
            cure="Add the columns to the table, or use 'evolution: append'.",
        )


def refuse_misfit(shown: str, own: Column, given: Column) -> None:
    """
    Raises:
        WriteError: the values of a column have a type that the table's own can't hold.
    """
    has, gets = type_name(own.type), type_name(given.type)
    if has != gets and has not in _WIDER.get(gets, ()):
        raise WriteError(
            f"can't write {shown}: column '{own.name}' is {has} in the table, and the rows have {gets}.",
            cure="Cast it in the contract, or change the table.",
        )
