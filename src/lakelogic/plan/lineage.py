"""Column lineage of a plan: from which columns of its source and links each column of the target is made."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Literal

from sqlglot import exp, parse_one
from sqlglot.errors import ParseError, TokenError

from lakelogic.plan.model import Plan
from lakelogic.sql.annotate import SOURCE
from lakelogic.sql.tracing import OWN, Relation, Traced, trace
from lakelogic.sql.types import Columns

Kind = Literal["generated", "identity", "transformation", "aggregation", "masked"]


@dataclass(frozen=True, order=True)
class InputColumn:
    """A column of a link, or of the source where no link is named. `location` is the path or table it is read from."""

    location: str
    column: str
    link: str | None = None


@dataclass(frozen=True)
class ColumnLineage:
    """A column of the target: what it is made of, and what is done to the values on their way.

    `generated` comes from no column: constants, the run's id, versions of a history. Values that contract code in Python
    has made are a transformation of nothing that is known.
    """

    column: str
    kind: Kind
    inputs: tuple[InputColumn, ...] = ()


@dataclass(frozen=True)
class Outline:
    """What of a plan decides where columns come from: the SELECTs that good rows go through, not yet written for an engine.

    `columns` are those of the target, `private` the names of those whose values must not be shown.
    """

    selects: tuple[exp.Query, ...]
    columns: Columns
    masked: tuple[str, ...] = ()
    private: tuple[str, ...] = ()


def column_lineage(plan: Plan, dialect: str = "spark") -> tuple[ColumnLineage, ...]:
    """Every column of the target, in its order. `dialect` is the one in which the plan's SQL is written.

    Pure: no data is looked at, and nothing but the plan is needed. Nothing is told of a plan whose SQL can't be read back.
    """
    try:
        links = {link.name: (link.location, _parsed(link.sql, dialect)) for link in plan.links}
        selects = [_parsed(sql, dialect) for sql in _statements(plan)]
    except (ParseError, TokenError):
        return ()
    by_code = dict(plan.read.options).get("external_logic") is not None
    source = opaque(name for name, _ in plan.read.columns) if by_code else Relation(name=SOURCE)
    return _lineage(selects, links, [name for name, _ in plan.masks], plan.read.location, source)


def outlined_lineage(outline: Outline, links: Mapping[str, exp.Query], source: Relation) -> tuple[ColumnLineage, ...]:
    """The same before there is a plan; `links` are the SELECTs that narrow them, and locations stay empty."""
    read = {name: ("", select) for name, select in links.items()}
    return _lineage(outline.selects, read, outline.masked, "", source)


def opaque(columns: Iterable[str]) -> Relation:
    """Rows that code in Python has made: their columns come from nothing that is known."""
    return Relation(tuple((name, Traced(kind="transformation")) for name in columns))


def _lineage(
    selects: Iterable[exp.Query],
    links: Mapping[str, tuple[str, exp.Query]],
    masked: Iterable[str],
    location: str,
    rows: Relation,
) -> tuple[ColumnLineage, ...]:
    read = {name: Relation(tuple(trace(select, {SOURCE: Relation(name=name)}))) for name, (_, select) in links.items()}
    for select in selects:
        rows = Relation(tuple(trace(select, {**read, SOURCE: rows})))
    places = {SOURCE: location, **{name: place for name, (place, _) in links.items()}}
    unreadable = {name.lower() for name in masked}
    return tuple(
        ColumnLineage(name, _kind(name, traced, unreadable), _told(traced, places))
        for name, traced in rows.columns
        if not name.startswith(OWN)
    )


def _kind(name: str, traced: Traced, masked: set[str]) -> Kind:
    return "masked" if name.lower() in masked and traced.inputs else traced.kind


def _statements(plan: Plan) -> list[str]:
    """The SELECTs that good rows go through, one after another."""
    steps = [step.sql for stage in (plan.pre, plan.post) for step in stage.steps]
    shape = plan.target.changes.shape if plan.target.changes else None
    return [*steps, plan.publish, *([shape] if shape else [])]


def _parsed(sql: str, dialect: str) -> exp.Query:
    query = parse_one(sql, read=dialect)
    if not isinstance(query, exp.Query):
        raise ParseError(f"a plan holds SELECTs, and this is none: {sql}")
    return query


def _told(traced: Traced, places: Mapping[str, str]) -> tuple[InputColumn, ...]:
    found = (
        InputColumn(places[relation], column, None if relation == SOURCE else relation)
        for relation, column in traced.inputs
    )
    return tuple(sorted(found, key=lambda each: (each.link or "", each.column)))
