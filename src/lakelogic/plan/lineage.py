"""Column lineage of a plan: from which columns of its source and links each column of the target is made."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from sqlglot import exp, parse_one

from lakelogic.plan.model import LinkPlan, Plan
from lakelogic.sql.annotate import SOURCE
from lakelogic.sql.tracing import Output, Relation, Traced, trace

Kind = Literal["generated", "identity", "transformation", "aggregation", "masked"]
_HIDDEN = "_ll_"


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


def column_lineage(plan: Plan, dialect: str = "spark") -> tuple[ColumnLineage, ...]:
    """Every column of the target, in its order. `dialect` is the one in which the plan's SQL is written.

    Pure: no data is looked at, and nothing but the plan is needed.
    """
    links = {link.name: _of_link(link, dialect) for link in plan.links}
    rows = _source(plan)
    for sql in _statements(plan):
        rows = Relation(tuple(_traced(sql, {**links, SOURCE: rows}, dialect)))
    masked = {name.lower() for name, _ in plan.masks}
    places = {SOURCE: plan.read.location, **{link.name: link.location for link in plan.links}}
    shown = ((name, traced) for name, traced in rows.columns if not name.startswith(_HIDDEN))
    return tuple(
        ColumnLineage(
            name, "masked" if name.lower() in masked and traced.inputs else traced.kind, _told(traced, places)
        )
        for name, traced in shown
    )


def _source(plan: Plan) -> Relation:
    if dict(plan.read.options).get("external_logic") is None:
        return Relation(name=SOURCE)
    return Relation(tuple((name, Traced(kind="transformation")) for name, _ in plan.read.columns))


def _statements(plan: Plan) -> list[str]:
    """The SELECTs that good rows go through, one after another."""
    steps = [step.sql for stage in (plan.pre, plan.post) for step in stage.steps]
    shape = plan.target.changes.shape if plan.target.changes else None
    return [*steps, plan.publish, *([shape] if shape else [])]


def _of_link(link: LinkPlan, dialect: str) -> Relation:
    return Relation(tuple(_traced(link.sql, {SOURCE: Relation(name=link.name)}, dialect)))


def _traced(sql: str, relations: Mapping[str, Relation], dialect: str) -> Output:
    query = parse_one(sql, read=dialect)
    return trace(query, relations) if isinstance(query, exp.Query) else []


def _told(traced: Traced, places: Mapping[str, str]) -> tuple[InputColumn, ...]:
    found = (
        InputColumn(places[relation], column, None if relation == SOURCE else relation)
        for relation, column in traced.inputs
    )
    return tuple(sorted(found, key=lambda each: (each.link or "", each.column)))
