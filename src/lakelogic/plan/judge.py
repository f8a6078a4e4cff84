"""Checks as SQL: one predicate for the good rows, and the reasons for the others."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from sqlglot import exp

from lakelogic.plan.kept import kept_name
from lakelogic.plan.names import CATEGORIES, ERRORS, FAILED, MALFORMED, ORIGIN, REASON, REASONS, RULES, as_read
from lakelogic.rules.base import Check
from lakelogic.sql.build import all_of
from lakelogic.sql.types import Columns
from lakelogic.transforms.base import SOURCE, named, pick, ref, selected


def good_rows(checks: Sequence[Check], columns: Columns) -> exp.Select:
    """Rows that meet every check. WHERE drops NULL as it drops false."""
    # `FROM source WHERE (flag)` alone would be read as a table that is called WHERE, with a column.
    met = _all(checks) if len(checks) > 1 else exp.and_(exp.true(), checks[0].predicate.copy())
    return pick(columns).where(met, copy=False)


def bad_rows(
    checks: Sequence[Check], columns: Columns, excused_by: Mapping[str, exp.Expr], *, in_turn: bool = False
) -> exp.Select:
    """The other rows, as they were read, with the reasons in the order of the rules.

    `excused_by` maps a column to what is true where its own check has failed: a rule that is NULL only because of
    such a column is not repeated. `in_turn`, checks of phase post are told only of rows that pass the others.
    """
    failing = pick(columns)
    failing.select(named(FAILED, _failed(checks, excused_by, in_turn)), copy=False)
    failing.where(exp.not_(exp.func("COALESCE", exp.paren(_all(checks)), exp.false())), copy=False)
    # A source that was quarantined before brings reasons of its own; they stay in the original row.
    own = columns.visible.without(REASONS)
    kept = [named(column.name, ref(original_name(column.name, columns))) for column in own]
    reasons = [
        named(CATEGORIES, _texts([check.category for check in checks])),
        named(ERRORS, _texts([check.message for check in checks])),
        named(RULES, _texts([check.name for check in checks])),
        named(REASON, _first([check.label or check.name for check in checks])),
    ]
    hidden = [ref(column) for column in ORIGIN if column.name in columns]
    return selected((*kept, *reasons, *hidden), failing.subquery(SOURCE, copy=False))


def _all(checks: Sequence[Check]) -> exp.Expr:
    return all_of(*(exp.paren(check.predicate) for check in checks))


def original_name(name: str, columns: Columns) -> str:
    """Where a value is as it was read: before its cast, else before the split, else as it is."""
    before = [kept_name(as_read(name).name), as_read(name).name, kept_name(name)]
    return next((kept for kept in before if kept in columns), name)


def _failed(checks: Sequence[Check], excused_by: Mapping[str, exp.Expr], in_turn: bool) -> exp.Expr:
    """Positions of the checks that failed: each predicate is evaluated once, whatever is then told of it."""
    marks = [_mark(check, position, excused_by) for position, check in enumerate(checks, 1)]
    first = [i for i, check in enumerate(checks) if not (in_turn and check.phase == "post")]
    failed = _compact([marks[i] for i in first])
    if first and len(first) < len(checks):
        then = _compact([mark for i, mark in enumerate(marks) if i not in set(first)])
        failed = exp.func("IF", _all([checks[i] for i in first]), then, failed)
    if not checks or MALFORMED.name.lower() not in _reads(checks[0]):
        return failed
    # Nothing else is worth telling of a record that could not be read; its check stands first.
    return exp.func("IF", checks[0].predicate, failed, exp.array(exp.Literal.number(1)))


def _compact(marks: Sequence[exp.Expr]) -> exp.Expr:
    return exp.func("ARRAY_COMPACT", exp.array(*marks))


def _mark(check: Check, position: int, excused_by: Mapping[str, exp.Expr]) -> exp.Expr:
    failed: exp.Expr = exp.Literal.number(position)
    excuses = [excused_by[name] for name in sorted(_reads(check)) if name in excused_by]
    if excuses:
        unknown = exp.and_(exp.paren(check.predicate).is_(exp.null()), exp.paren(exp.or_(*excuses)))
        failed = exp.func("IF", unknown, exp.null(), failed)
    return exp.func("IF", check.predicate, exp.null(), failed)


def _reads(check: Check) -> set[str]:
    return {column.name.lower() for column in check.predicate.find_all(exp.Column)}


def _texts(texts: Sequence[str]) -> exp.Expr:
    position = exp.to_identifier("i")
    body = exp.Anonymous(this="ELEMENT_AT", expressions=[_literals(texts), position])
    return exp.Anonymous(this="TRANSFORM", expressions=[ref(FAILED), exp.Lambda(this=body, expressions=[position])])


def _first(texts: Sequence[str]) -> exp.Expr:
    first = exp.Anonymous(this="ELEMENT_AT", expressions=[ref(FAILED), exp.Literal.number(1)])
    return exp.Anonymous(this="ELEMENT_AT", expressions=[_literals(texts), first])


def _literals(texts: Sequence[str]) -> exp.Expr:
    return exp.array(*(exp.Literal.string(text) for text in texts))
