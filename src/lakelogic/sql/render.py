"""Contract SQL for Spark: try_ forms, explicit conversions and a pinned clock, whatever the session says."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import ClassVar

from sqlglot import exp
from sqlglot.dialects.spark import Spark
from sqlglot.generators.spark import SparkGenerator

from lakelogic.sql.annotate import annotated
from lakelogic.sql.types import Columns

_Type = exp.DType
_TEXT = {_Type.TEXT, _Type.VARCHAR, _Type.CHAR, _Type.NVARCHAR}
_INTEGERS = {_Type.INT, _Type.BIGINT, _Type.SMALLINT, _Type.TINYINT}
_NUMBERS = _INTEGERS | {_Type.FLOAT, _Type.DOUBLE, _Type.DECIMAL}
_MOMENTS = {_Type.DATE, _Type.TIMESTAMP, _Type.TIMESTAMPTZ, _Type.TIMESTAMPLTZ, _Type.TIMESTAMPNTZ}
_COMPARISONS = (exp.EQ, exp.NEQ, exp.GT, exp.GTE, exp.LT, exp.LTE, exp.NullSafeEQ, exp.NullSafeNEQ)
# Integer arithmetic wraps around in Spark when it isn't ANSI; these give NULL.
_CHECKED: dict[type[exp.Expr], str] = {exp.Add: "TRY_ADD", exp.Sub: "TRY_SUBTRACT", exp.Mul: "TRY_MULTIPLY"}
_NOW = (exp.CurrentTimestamp, exp.Localtimestamp)


class _TrySpark(Spark):
    """Spark SQL in which every cast is a try_cast."""

    class Generator(SparkGenerator):
        TRANSFORMS: ClassVar = {
            **SparkGenerator.TRANSFORMS,
            exp.Cast: lambda self, e: self._try_cast(e),
            exp.TryCast: lambda self, e: self._try_cast(e),
        }

        def _try_cast(self, node: exp.Cast) -> str:
            return f"TRY_CAST({self.sql(node, 'this')} AS {self.sql(node, 'to')})"


# Marks stand in a plan for what only a run knows, so that every pass and every repetition sees the same value.
NOW = "<the start of the run>"
TODAY = "<the day of the run>"
RUN_ID = "<the run's id>"
PIPELINE_RUN_ID = "<the pipeline run's id>"


def to_spark(tree: exp.Expr, columns: Columns, links: Mapping[str, Columns] | None = None) -> str:
    """Spark SQL text of a resolved tree; clock functions become the marks NOW and TODAY."""
    return annotated(tree.copy(), columns, links).transform(_portable).sql(_TrySpark)


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
        sql = sql.replace(exp.Literal.string(mark).sql("spark"), exp.Literal.string(value).sql("spark"))
    return sql


def _portable(node: exp.Expr) -> exp.Expr:
    if isinstance(node, _COMPARISONS):
        return _compare_alike(node)
    if isinstance(node, exp.Between):
        return _between_alike(node)
    if type(node) in _CHECKED and _may_be_integers(node):
        return exp.Anonymous(this=_CHECKED[type(node)], expressions=[node.this, node.expression])
    if isinstance(node, exp.Div):
        return exp.Anonymous(this="TRY_DIVIDE", expressions=[node.this, node.expression])
    if isinstance(node, exp.Mod):
        return exp.Anonymous(this="TRY_MOD", expressions=[node.this, node.expression])
    if (
        isinstance(node, exp.Neg)
        and not isinstance(node.this, exp.Literal)
        and _kind(node.this) not in {_Type.INTERVAL}
    ):
        return exp.Anonymous(this="TRY_SUBTRACT", expressions=[exp.Literal.number(0), node.this])
    return _pinned(node)


def _pinned(node: exp.Expr) -> exp.Expr:
    name = node.name.lower() if isinstance(node, exp.Anonymous) else ""
    if isinstance(node, exp.CurrentDate) or name == "curdate":
        return exp.cast(exp.Literal.string(TODAY), "date")
    if isinstance(node, _NOW) or name == "now":
        return exp.cast(exp.Literal.string(NOW), "timestamp")
    return node


def _kind(node: exp.Expr | None) -> exp.DType:
    data_type = node.type if node else None
    return data_type.this if isinstance(data_type, exp.DataType) else _Type.UNKNOWN


def _may_be_integers(node: exp.Expr) -> bool:
    kinds = {_kind(node.this), _kind(node.expression)}
    return kinds <= _INTEGERS | {_Type.UNKNOWN} and _Type.INTERVAL not in kinds


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
    if left_kind in _TEXT and right_kind in _NUMBERS | _MOMENTS:
        return _converted(left, right_kind), right
    if right_kind in _TEXT and left_kind in _NUMBERS | _MOMENTS:
        return left, _converted(right, left_kind)
    return left, right


def _converted(text: exp.Expr, kind: exp.DType) -> exp.Expr:
    target = "double" if kind in _NUMBERS else "date" if kind == _Type.DATE else "timestamp"
    return exp.TryCast(this=text.copy(), to=exp.DataType.build(target, dialect="spark"))
