"""Contract SQL as engines run it: try_ forms, explicit conversions and a pinned clock, whatever the session says."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime

from sqlglot import exp

from lakelogic.sql.annotate import annotated
from lakelogic.sql.like import found_in_turn
from lakelogic.sql.plain import PlainSpark, plainly
from lakelogic.sql.types import UNKNOWN, Columns, type_name
from lakelogic.sql.typing.lattice import INTEGERS, MOMENTS, NUMBERS, TEXT, named
from lakelogic.sql.typing.operands import operand_types
from lakelogic.sql.typing.results import result

_Type = exp.DType
_COMPARISONS = (exp.EQ, exp.NEQ, exp.GT, exp.GTE, exp.LT, exp.LTE, exp.NullSafeEQ, exp.NullSafeNEQ)
# Integer arithmetic wraps around in Spark when it isn't ANSI; these give NULL.
_CHECKED: dict[type[exp.Expr], str] = {exp.Add: "TRY_ADD", exp.Sub: "TRY_SUBTRACT", exp.Mul: "TRY_MULTIPLY"}
_DIVIDED: dict[type[exp.Expr], str] = {exp.Div: "TRY_DIVIDE", exp.Mod: "TRY_MOD"}
_NOW = (exp.CurrentTimestamp, exp.Localtimestamp)
_MAY_OVERFLOW = {*INTEGERS, _Type.UNKNOWN, _Type.NULL}

# Marks stand in a plan for what only a run knows, so that every pass and every repetition sees the same value.
NOW = "<the start of the run>"
TODAY = "<the day of the run>"
RUN_ID = "<the run's id>"
PIPELINE_RUN_ID = "<the pipeline run's id>"


def to_spark(tree: exp.Expr, columns: Columns, links: Mapping[str, Columns] | None = None) -> str:
    """Spark SQL text of a resolved tree; clock functions become the marks NOW and TODAY."""
    return for_engines(tree, columns, links).transform(found_in_turn).sql(PlainSpark)


def for_engines(tree: exp.Expr, columns: Columns, links: Mapping[str, Columns] | None = None) -> exp.Expr:
    """A plain tree with types, in which nothing raises and no conversion is left to a session's settings."""
    plain = plainly(tree.transform(_pinned), copy=False)
    root = annotated(plain, columns, links)
    # From the leaves up: what replaces a node is not looked into again.
    for node in reversed(list(root.walk(bfs=False))):
        if (better := _portable(node)) is not node:
            root = better if node is root else root
            node.replace(better)
    return root


def pin(sql: str, *, started: datetime, run_id: str, pipeline_run_id: str) -> str:
    """The text with the marks replaced by a run's own values."""
    moment = started.astimezone(UTC)
    values = {
        NOW: moment.strftime("%Y-%m-%dT%H:%M:%S.%fZ"),
        TODAY: moment.strftime("%Y-%m-%d"),
        RUN_ID: run_id,
        PIPELINE_RUN_ID: pipeline_run_id,
    }
    for mark, value in values.items():
        # A quote in a text is written in two ways.
        for written in (_with_backslash, _doubled):
            sql = sql.replace(written(mark), written(value))
    return sql


def _doubled(value: str) -> str:
    return "'" + value.replace("'", "''") + "'"


def _with_backslash(value: str) -> str:
    return exp.Literal.string(value).sql("spark")


def _pinned(node: exp.Expr) -> exp.Expr:
    name = node.name.lower() if isinstance(node, exp.Anonymous) else ""
    if isinstance(node, exp.CurrentDate) or name == "curdate":
        return exp.cast(exp.Literal.string(TODAY), "date")
    if isinstance(node, _NOW) or name == "now":
        return exp.cast(exp.Literal.string(NOW), "timestamp")
    return node


def _portable(node: exp.Expr) -> exp.Expr:
    if isinstance(node, _COMPARISONS):
        return _compare_alike(node)
    if isinstance(node, exp.Between):
        return _between_alike(node)
    if type(node) in _CHECKED and _may_overflow(node):
        return _call(_CHECKED[type(node)], node.this, node.expression)
    if type(node) in _DIVIDED:
        return _call(_DIVIDED[type(node)], node.this, node.expression)
    if isinstance(node, exp.Neg) and not isinstance(node.this, exp.Literal) and _kind(node.this) in _MAY_OVERFLOW:
        return _call("TRY_SUBTRACT", _zero(_type(node.this)), node.this)
    return node


def _call(name: str, left: exp.Expr, right: exp.Expr) -> exp.Expr:
    call = exp.Anonymous(this=name, expressions=[left, right])
    call.type = result(name.lower(), operand_types(left, right))
    return call


def _zero(data_type: exp.DataType) -> exp.Expr:
    """Zero of a type, so that the difference has it, too."""
    zero = exp.Literal.number(0)
    zero.type = named("int")
    if data_type.this not in {_Type.TINYINT, _Type.SMALLINT}:
        return zero
    return _converted(zero, type_name(data_type))


def _type(node: exp.Expr | None) -> exp.DataType:
    found = node.type if node else None
    return found if isinstance(found, exp.DataType) else UNKNOWN


def _kind(node: exp.Expr | None) -> exp.DType:
    found: exp.DType = _type(node).this
    return found


def _may_overflow(node: exp.Expr) -> bool:
    return {_kind(node.this), _kind(node.expression)} <= _MAY_OVERFLOW


def _compare_alike(node: exp.Expr) -> exp.Expr:
    left, right = _alike(node.this, node.expression)
    node.set("this", left)
    node.set("expression", right)
    return node


def _between_alike(node: exp.Between) -> exp.Expr:
    for bound in ("low", "high"):
        value, limit = _alike(node.this, node.args[bound])
        if value is not node.this:
            node.set("this", value)
        node.set(bound, limit)
    return node


def _alike(left: exp.Expr, right: exp.Expr) -> tuple[exp.Expr, exp.Expr]:
    """Text compared with a number or a moment is converted openly; text that isn't one becomes NULL."""
    left_kind, right_kind = _kind(left), _kind(right)
    if left_kind in TEXT and right_kind in NUMBERS | set(MOMENTS):
        return _converted(left, _counterpart(right_kind)), right
    if right_kind in TEXT and left_kind in NUMBERS | set(MOMENTS):
        return left, _converted(right, _counterpart(left_kind))
    return left, right


def _counterpart(kind: exp.DType) -> str:
    """The type as which text is compared with a value of this kind."""
    if kind in NUMBERS:
        return "double"
    return "date" if kind == _Type.DATE else "timestamp"


def _converted(value: exp.Expr, target: str) -> exp.Expr:
    cast = exp.TryCast(this=value.copy(), to=named(target).copy())
    cast.type = named(target)
    return cast
