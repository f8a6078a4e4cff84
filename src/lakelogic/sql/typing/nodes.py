"""What type each kind of node has, from the types of its parts."""

from __future__ import annotations

from collections.abc import Callable

from sqlglot import exp

from lakelogic.sql.types import UNKNOWN, is_unknown
from lakelogic.sql.typing import results
from lakelogic.sql.typing.lattice import (
    INTERVAL,
    MOMENTS,
    NULL,
    array_of,
    common,
    decimal,
    element,
    is_array,
    is_integer,
    is_map,
    map_parts,
    member,
    named,
    normal,
)
from lakelogic.sql.typing.operands import operand_types

_Type = exp.DType
_CONDITIONS = (
    exp.And, exp.Or, exp.Xor, exp.Not, exp.EQ, exp.NEQ, exp.GT, exp.GTE, exp.LT, exp.LTE, exp.NullSafeEQ,
    exp.NullSafeNEQ, exp.Is, exp.In, exp.Between, exp.Like, exp.ILike, exp.RegexpLike, exp.RegexpILike,
    exp.Boolean, exp.Exists, exp.Escape,
)  # fmt: skip
_ARITHMETIC: dict[type[exp.Expr], str] = {
    exp.Add: "try_add",
    exp.Sub: "try_subtract",
    exp.Mul: "try_multiply",
    exp.Div: "try_divide",
    exp.Mod: "try_mod",
    exp.IntDiv: "div",
}
_INT_LIMIT, _LONG_LIMIT = 2**31, 2**63


def type_of_node(node: exp.Expr) -> exp.DataType:
    """The type of a node whose parts have theirs."""
    if isinstance(node, _CONDITIONS):
        return named("boolean")
    if type(node) in _ARITHMETIC:
        return _arithmetic(node)
    special = _NODES.get(type(node))
    return special(node) if special else UNKNOWN


def known_type(node: exp.Expr | None) -> exp.DataType:
    """The type that a node was given."""
    found = node.type if node is not None else None
    return found if isinstance(found, exp.DataType) else UNKNOWN


def _arithmetic(node: exp.Expr) -> exp.DataType:
    left, right = known_type(node.this), known_type(node.expression)
    moment = next((t for t in (left, right) if t.this in MOMENTS), None)
    if moment is None:
        return results.result(_ARITHMETIC[type(node)], operand_types(node.this, node.expression))
    other = right if moment is left else left
    if moment.this == _Type.DATE and is_integer(other):
        return moment
    if other.this == _Type.INTERVAL:
        span = node.expression if moment is left else node.this
        return named("timestamp") if moment.this == _Type.DATE and _has_time(span) else moment
    return UNKNOWN


def _has_time(span: exp.Expr) -> bool:
    interval = span if isinstance(span, exp.Interval) else span.find(exp.Interval)
    unit = interval.args.get("unit") if interval else None
    return unit is None or unit.name.upper().rstrip("S") in {"HOUR", "MINUTE", "SECOND", "MILLISECOND", "MICROSECOND"}


def _literal(node: exp.Expr) -> exp.DataType:
    if node.is_string:
        return named("string")
    text = node.name.lower()
    if "e" in text:
        return named("double")
    if "." in text:
        whole, _, fraction = text.partition(".")
        return decimal(max(len(whole.lstrip("0")) + len(fraction), 1), len(fraction))
    number = int(text)
    if number < _INT_LIMIT:
        return named("int")
    return named("bigint") if number < _LONG_LIMIT else decimal(len(text.lstrip("0")), 0)


def _bracket(node: exp.Expr) -> exp.DataType:
    held = known_type(node.this)
    return map_parts(held)[1] if is_map(held) else element(held)


def _dot(node: exp.Expr) -> exp.DataType:
    held = known_type(node.this)
    if is_array(held):
        inner = member(element(held), node.expression.name)
        return inner if is_unknown(inner) else array_of(inner)
    return member(held, node.expression.name)


def _case(node: exp.Expr) -> exp.DataType:
    branches = [known_type(branch.args["true"]) for branch in node.args["ifs"]]
    return common([*branches, known_type(node.args["default"]) if node.args.get("default") else NULL])


def _if(node: exp.Expr) -> exp.DataType:
    false = node.args.get("false")
    return common([known_type(node.args["true"]), known_type(false) if false else NULL])


def _of_this(node: exp.Expr) -> exp.DataType:
    return known_type(node.this)


def _extract(node: exp.Expr) -> exp.DataType:
    return named("decimal(8,6)" if node.name.upper() in {"SECOND", "SECONDS"} else "int")


def _negative(node: exp.Expr) -> exp.DataType:
    # A literal's minus belongs to it: -2147483648 is an int.
    if isinstance(node.this, exp.Literal) and not node.this.is_string and node.this.name in {str(_INT_LIMIT)}:
        return named("int")
    if isinstance(node.this, exp.Literal) and node.this.name == str(_LONG_LIMIT):
        return named("bigint")
    return known_type(node.this)


def _bitwise(node: exp.Expr) -> exp.DataType:
    return (
        common([known_type(node.this), known_type(node.expression)])
        if node.args.get("expression")
        else known_type(node.this)
    )


_NODES: dict[type[exp.Expr], Callable[[exp.Expr], exp.DataType]] = {
    exp.Literal: _literal,
    exp.Null: lambda _: NULL,
    exp.Cast: lambda node: normal(node.args["to"]),
    exp.TryCast: lambda node: normal(node.args["to"]),
    exp.Bracket: _bracket,
    exp.Dot: _dot,
    exp.Case: _case,
    exp.If: _if,
    exp.Neg: _negative,
    exp.Trim: lambda _: named("string"),
    exp.Extract: _extract,
    exp.Interval: lambda _: INTERVAL,
    exp.HexString: lambda _: named("binary"),
    exp.Distinct: lambda node: known_type(node.expressions[0]) if node.expressions else UNKNOWN,
    exp.DPipe: lambda node: results.result("concat", [known_type(node.this), known_type(node.expression)]),
    **dict.fromkeys(
        (exp.Paren, exp.Alias, exp.Ordered, exp.Filter, exp.Window, exp.IgnoreNulls, exp.RespectNulls,
         exp.WithinGroup, exp.Subquery, exp.Collate, exp.AtTimeZone), _of_this
    ),
    **dict.fromkeys((exp.BitwiseAnd, exp.BitwiseOr, exp.BitwiseXor, exp.BitwiseNot), _bitwise),
}  # fmt: skip
