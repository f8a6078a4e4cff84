"""Transformations and checks of a contract, put in order: before the split, and after it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from sqlglot import exp

from lakelogic.errors import ContractError, LakeLogicError, Place
from lakelogic.rules.base import KEY, Lookup
from lakelogic.sql.convert import equal
from lakelogic.sql.types import BOOLEAN, Column, Columns
from lakelogic.transforms.base import SOURCE, Step, Transform, named, ref

# A step with its title, the columns before it and the links that it reads.
PlannedStep = tuple[str, Step, Columns, tuple[str, ...]]


@dataclass
class Chain:
    """Steps one after another; knows the columns after the last one."""

    columns: Columns
    links: Mapping[str, Columns]
    steps: list[PlannedStep] = field(default_factory=list)

    def add(self, name: str, step: Step, links: Iterable[str] = ()) -> None:
        self.steps.append((name, step, self.columns, tuple(sorted(links))))
        self.columns = step.columns

    def transform(self, name: str, transform: Transform, place: Place | None) -> None:
        """Add a transformation of the contract; an error is told with its place."""
        try:
            step = transform.step(self.columns, self.links)
            self._refuse_dropped_rows(transform.kind, step)
            self.add(name, replace(step, place=place), transform.links_used())
        except LakeLogicError as error:
            raise error.at(place) from None

    def _refuse_dropped_rows(self, kind: str, step: Step) -> None:
        """Rows on their way to quarantine must not be counted, joined or multiplied as if they were kept."""
        looks_at_one = step.row_wise or (step.effect == "filtered" and step.select.find(exp.Window, exp.Join) is None)
        if not looks_at_one and any(earlier.marks_dropped for _, earlier, _, _ in self.steps):
            raise ContractError(
                f"{kind} would still see the rows that a deduplication before it sends to quarantine.",
                cure="Put it before the deduplication, or into phase post.",
            )

    @property
    def row_wise(self) -> bool:
        """Whether every row comes out once, from one row alone."""
        return all(step.row_wise for _, step, _, _ in self.steps)


def lookup_step(columns: Columns, lookups: Sequence[Lookup]) -> Step:
    """All flags that rules need of links, in one SELECT: one left join to one row for each key of a link."""
    flags = [Column(lookup.flag, BOOLEAN, hidden=True) for lookup in lookups]
    # What an earlier stage has found is found anew: values may have changed since.
    kept = columns.without(flag.name for flag in flags)
    select = exp.select(*(ref(column, SOURCE) for column in kept)).from_(SOURCE)
    for position, lookup in enumerate(lookups):
        alias = f"_ll_link_{position}"
        own = columns.get(lookup.column)
        matched = equal(ref(own, SOURCE), own.type, ref(KEY, alias), lookup.key_type)
        select = select.join(lookup.found().subquery(alias), on=matched, join_type="left")
        select = select.select(named(lookup.flag, lookup.told(SOURCE, alias)))
    return Step(select, kept.with_(*flags))
