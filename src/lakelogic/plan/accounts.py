"""What a run asks of the rows beside writing them: one SELECT for each question, as trees."""

from __future__ import annotations

from collections.abc import Sequence

from sqlglot import exp

from lakelogic.plan import names
from lakelogic.rules.base import Audit
from lakelogic.sql.build import any_of, call, is_null
from lakelogic.sql.render import RUN_ID
from lakelogic.sql.types import STRING, TIMESTAMP, Column, Columns, parse_type
from lakelogic.transforms.base import SOURCE, named, ref

_TEXTS = parse_type("array<string>")
_RULE = "_ll_rule"
REASON_COLUMNS = Columns(
    (
        Column(names.CATEGORIES, _TEXTS),
        Column(names.ERRORS, _TEXTS),
        Column(names.RULES, _TEXTS),
        Column(names.REASON, STRING),
    )
)


def quarantine_columns(kept: Columns) -> Columns:
    """The columns of quarantine that its own questions read."""
    own = (Column(names.STATE, STRING), Column(names.STATE_RUN, STRING), Column(names.QUARANTINED_AT, TIMESTAMP))
    return Columns((*(Column(column.name, STRING) for column in kept), *REASON_COLUMNS, *own))


def measured(audits: Sequence[Audit], keys: Sequence[str], *, each_once: bool = True) -> exp.Select | None:
    """All dataset rules, and what a merge must know of its keys, in one aggregate over the good rows."""
    wanted = [named(f"a{i}", _value(audit)) for i, audit in enumerate(audits)]
    if keys:
        columns = [ref(key) for key in keys]
        wanted += [
            named("rows", _count()),
            named("null_keys", exp.CountIf(this=any_of(*(is_null(column) for column in columns)))),
        ]
        if each_once:
            distinct = exp.Count(this=exp.Distinct(expressions=[call("STRUCT", *columns)]))
            wanted.append(named("repeated_keys", exp.Sub(this=_count(), expression=distinct)))
    return exp.select(*wanted).from_(SOURCE) if wanted else None


def repeated(keys: Sequence[str]) -> exp.Select | None:
    """Keys that more than one row has."""
    if not keys:
        return None
    columns = [ref(key) for key in keys]
    several = exp.GT(this=_count(), expression=exp.Literal.number(1))
    return exp.select(*columns).from_(SOURCE).group_by(*columns).having(several).order_by(*columns)


def any_bad() -> exp.Select:
    """How many rows are bad, and what is wrong with one of them."""
    first = exp.Anonymous(this="ELEMENT_AT", expressions=[ref(names.ERRORS), exp.Literal.number(1)])
    return exp.select(named("rows", _count()), named("example", exp.AnyValue(this=first))).from_(SOURCE)


def tally(kept: Columns, judged: set[str]) -> exp.Select:
    """This run's quarantined rows by rule, with one example; only that row is turned into text."""
    shown = [ref(column) for column in kept if column.name.lower() in judged]
    row = call("STRUCT", *shown) if shown else call("STRUCT", exp.alias_(exp.cast(exp.null(), STRING), "_"))
    exploded = exp.select(named(_RULE, exp.Explode(this=ref(names.RULES))), *shown).from_(SOURCE).where(_own_rows())
    counted = (
        exp.select(
            named("rule", ref(_RULE)),
            named("failed", _count()),
            named("sample", exp.AnyValue(this=row)),
        )
        .from_(exploded.subquery(SOURCE))
        .group_by(ref(_RULE))
    )
    sample = named("sample", exp.JSONFormat(this=ref("sample")))
    return exp.select(ref("rule"), ref("failed"), sample).from_(counted.subquery(SOURCE))


def quarantined() -> exp.Select:
    """How many rows this run has quarantined."""
    return exp.select(named("rows", _count())).from_(SOURCE).where(_own_rows())


def failed_before(rules: Sequence[str]) -> exp.Select:
    """This run's quarantined rows that failed one of these rules."""
    listed = exp.array(*(exp.Literal.string(rule) for rule in rules))
    overlap = call("ARRAYS_OVERLAP", ref(names.RULES), listed)
    return exp.select(named("rows", exp.CountIf(this=overlap))).from_(SOURCE).where(_own_rows())


def _value(audit: Audit) -> exp.Expr:
    return exp.Subquery(this=audit.tree.copy()) if isinstance(audit.tree, exp.Query) else audit.tree


def _count() -> exp.Expr:
    return exp.Count(this=exp.Literal.number(1))


def _own_rows() -> exp.Expr:
    """What this run has put into quarantine, or left there."""
    own = exp.EQ(this=ref(names.STATE_RUN), expression=exp.Literal.string(RUN_ID))
    return exp.and_(own, exp.EQ(this=ref(names.STATE), expression=exp.Literal.string("active")))
