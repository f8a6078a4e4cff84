"""Types of the two sides of an arithmetic operation."""

from __future__ import annotations

from sqlglot import exp

from lakelogic.sql.types import UNKNOWN
from lakelogic.sql.typing.lattice import decimal, is_decimal, is_integer


def operand_types(left: exp.Expr, right: exp.Expr) -> list[exp.DataType]:
    """The types as Spark counts them: beside a decimal, a whole number that is written out has only its digits."""
    kinds = [_type(left), _type(right)]
    if any(is_decimal(kind) for kind in kinds):
        return [_digits(side, kind) for side, kind in zip((left, right), kinds, strict=True)]
    return kinds


def _type(node: exp.Expr) -> exp.DataType:
    return node.type if isinstance(node.type, exp.DataType) else UNKNOWN


def _digits(node: exp.Expr, kind: exp.DataType) -> exp.DataType:
    while isinstance(node, exp.Paren):
        node = node.this
    # A minus before the digits belongs to them.
    written = node.this if isinstance(node, exp.Neg) else node
    if isinstance(written, exp.Literal) and is_integer(kind):
        return decimal(max(len(written.name.lstrip("0")), 1), 0)
    return kind
