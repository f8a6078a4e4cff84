"""`strategy: replace_partitions`: the batch takes the place of the partitions that it touches."""

from __future__ import annotations

from sqlglot import exp

from lakelogic.errors import ContractError
from lakelogic.sql.parse import parse_condition
from lakelogic.sql.resolve import resolve_expression
from lakelogic.sql.types import Columns, is_unknown
from lakelogic.write.base import Rows, Strategy, strategies
from lakelogic.write.operations import ReplaceSlices

# What Spark and delta-rs both use to find the files of a slice.
_ALLOWED = (
    exp.Column, exp.Identifier, exp.Literal, exp.Boolean, exp.Null, exp.Cast, exp.DataType, exp.DataTypeParam, exp.And,
    exp.Or, exp.Not, exp.Paren, exp.Is, exp.In, exp.Between, exp.EQ, exp.NEQ, exp.GT, exp.GTE, exp.LT, exp.LTE, exp.Neg,
)  # fmt: skip
_COMPARED = (exp.In, exp.Between, exp.EQ, exp.NEQ, exp.GT, exp.GTE, exp.LT, exp.LTE)


@strategies.add("replace_partitions")
class ReplacePartitions(Strategy):
    """Replaces the partitions that the batch holds, or the rows of `replace_where`."""

    def operation(self, rows: Rows) -> ReplaceSlices:
        if rows.replace_where is not None:
            return ReplaceSlices(where=comparison(rows.replace_where, rows.columns))
        if not rows.partition_by:
            raise ContractError(
                "strategy replace_partitions needs to know the partitions.",
                cure="Add partition_by: [column, …], or replace_where: a condition on columns.",
            )
        return ReplaceSlices(columns=rows.partition_by)


def comparison(text: str, columns: Columns) -> str:
    """A condition that compares columns with literals, each literal of its column's type.

    Raises:
        SqlError: it can't be read, or names an unknown column.
        ContractError: it is more than that.
    """
    tree = resolve_expression(parse_condition(text), columns)
    if (other := next((node for node in tree.walk() if not isinstance(node, _ALLOWED)), None)) is not None:
        raise ContractError(
            f"replace_where can't hold {other.sql('spark')}.",
            cure="Compare columns with literals, such as day >= '2026-01-01' AND country IN ('DE', 'FR').",
        )
    for node in list(tree.find_all(*_COMPARED)):
        _cast_literals(node, columns)
    return tree.sql("spark")


def _cast_literals(node: exp.Expr, columns: Columns) -> None:
    column = node.find(exp.Column)
    kind = columns.get(column.name).type if column is not None else None
    if kind is None or is_unknown(kind):
        return
    for literal in list(node.find_all(exp.Literal)):
        if not isinstance(literal.parent, (exp.Cast, exp.DataTypeParam, exp.Neg)):
            literal.replace(exp.cast(literal.copy(), kind.copy()))
