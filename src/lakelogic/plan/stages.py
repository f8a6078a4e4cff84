"""Transformations and checks of a contract, put in order: before the split, and after it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from sqlglot import exp

from lakelogic.errors import LakeLogicError, Place
from lakelogic.rules.base import Lookup
from lakelogic.sql.types import BOOLEAN, Column, Columns
from lakelogic.transforms.base import SOURCE, Step, Transform, named, ref


@dataclass
class Chain:
    """Steps one after another; knows the columns after the last one."""

    columns: Columns
    links: Mapping[str, Columns]
    steps: list[tuple[str, Step, Columns, tuple[str, ...]]] = field(default_factory=list)

    def add(self, name: str, step: Step, links: Iterable[str] = ()) -> None:
        self.steps.append((name, step, self.columns, tuple(sorted(links))))
        self.columns = step.columns

    def transform(self, name: str, transform: Transform, place: Place | None) -> None:
        """Add a transformation of the contract; an error is told with its place."""
        try:
            self.add(name, transform.step(self.columns, self.links), transform.links_used())
        except LakeLogicError as error:
            raise error.at(place) from None

    @property
    def row_wise(self) -> bool:
        """Whether every row comes out once, from one row alone."""
        return all(step.row_wise for _, step, _, _ in self.steps)


def lookup_step(columns: Columns, lookups: Sequence[Lookup]) -> Step:
    """All flags that rules need of links, in one SELECT: one left join to the distinct keys of each link."""
    select = exp.select(*(ref(column) for column in columns)).from_(SOURCE)
    flags = []
    for position, lookup in enumerate(lookups):
        alias = f"_ll_link_{position}"
        key = exp.to_identifier("_ll_k", quoted=True)
        keys = exp.select(exp.alias_(ref(lookup.key), key), exp.alias_(exp.true(), "_ll_found")).distinct()
        found = keys.from_(exp.to_identifier(lookup.link, quoted=True)).subquery(alias)
        on = exp.EQ(this=_of(SOURCE, columns.get(lookup.column).name), expression=_of(alias, "_ll_k"))
        select = select.join(found, on=on, join_type="left")
        flag = exp.func("COALESCE", _of(alias, "_ll_found"), exp.false())
        select = select.select(named(lookup.flag, flag))
        flags.append(Column(lookup.flag, BOOLEAN, hidden=True))
    for expression in list(select.selects):
        if isinstance(expression, exp.Column) and not expression.table:
            expression.set("table", exp.to_identifier(SOURCE))
    return Step(select, columns.with_(*flags))


def _of(table: str, column: str) -> exp.Column:
    return exp.column(exp.to_identifier(column, quoted=True), table=exp.to_identifier(table))
