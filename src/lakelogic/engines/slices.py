"""Which rows of a table lie in a slice, as a condition that Spark and delta-rs both understand."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from sqlglot import exp, parse_one

from lakelogic.sql.build import all_of, any_of, is_null, ref, written
from lakelogic.sql.types import TIMESTAMP, Columns

_TIMES = {exp.DType.TIMESTAMP, exp.DType.TIMESTAMPTZ, exp.DType.TIMESTAMPLTZ}


def slices_of(rows: Iterable[Mapping[str, object]], columns: Columns) -> exp.Expr:
    """The slices that some rows lie in: each row holds the values of `columns` once."""
    found = [all_of(*(_is(column.name, column.type, row[column.name]) for column in columns)) for row in rows]
    return any_of(*found) if found else exp.false()


def condition_of(where: str) -> exp.Expr:
    """A condition of a plan, as a tree."""
    return parse_one(where, read="spark")


def for_spark(condition: exp.Expr) -> str:
    return condition.sql("spark")


def for_delta_rs(condition: exp.Expr) -> str:
    """The condition for DataFusion, to which a moment with a zone is a type of its own."""
    return condition.transform(_with_zone).sql("postgres")


def _with_zone(node: exp.Expr) -> exp.Expr:
    if isinstance(node, exp.Cast) and node.to.this in _TIMES:
        kind = exp.Literal.string('Timestamp(Microsecond, Some("UTC"))')
        return exp.Anonymous(this="arrow_cast", expressions=[node.this, kind])
    return node


def _is(name: str, data_type: exp.DataType, value: object) -> exp.Expr:
    if value is None:
        return is_null(ref(name))
    literal = value if isinstance(value, str) else written(value)  # type: ignore[arg-type]
    kind = TIMESTAMP if data_type.this in _TIMES else data_type
    return exp.EQ(this=ref(name), expression=exp.cast(exp.Literal.string(literal), kind.copy()))
