"""Rows of quarantine: which are wanted, and how one is shown."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from typing import Literal, TypeVar, get_args

from sqlglot import exp

from lakelogic.plan import names
from lakelogic.sql.build import call, ref
from lakelogic.sql.types import STRING, TIMESTAMP, Columns
from lakelogic.transforms.base import SOURCE, named
from lakelogic.wording import HIDDEN

T = TypeVar("T")
Order = Literal["oldest", "newest", "reason"]
State = Literal["active", "replayed", "released", "dropped", "superseded"]
STATES: tuple[State, ...] = get_args(State)
NUMBER = "_ll_number"


@dataclass(frozen=True)
class Wanted:
    """Which rows; what is not said is no condition. `key` maps columns to their stored values, `row` begins an id, `ids` are whole.

    `read_again` tells which rows a later run has judged once more: those that were active are superseded.
    """

    state: State | None = None
    run: str | None = None
    rule: str | None = None
    since: datetime | None = None
    until: datetime | None = None
    key: Mapping[str, str] = field(default_factory=dict)
    row: str | None = None
    not_of: str | None = None
    with_original: bool = False
    ids: tuple[str, ...] = ()
    read_again: exp.Expr | None = None

    @property
    def state_now(self) -> exp.Expr:
        """The state of a row, seen from today."""
        stored = ref(names.STATE)
        if self.read_again is None:
            return stored
        again = exp.and_(exp.EQ(this=stored.copy(), expression=exp.Literal.string("active")), self.read_again.copy())
        return exp.If(this=again, true=exp.Literal.string("superseded"), false=stored)

    def conditions(self) -> list[exp.Expr]:
        equal = {names.QUARANTINE_RUN: self.run, **self.key}
        found: list[exp.Expr] = [
            exp.EQ(this=ref(name), expression=exp.Literal.string(value)) for name, value in equal.items() if value
        ]
        if self.state:
            found.append(exp.EQ(this=self.state_now, expression=exp.Literal.string(self.state)))
        if self.rule:
            found.append(call("ARRAY_CONTAINS", ref(names.RULES), exp.Literal.string(self.rule)))
        if self.since:
            found.append(exp.GTE(this=ref(names.QUARANTINED_AT), expression=_moment(self.since)))
        if self.until:
            found.append(exp.LT(this=ref(names.QUARANTINED_AT), expression=_moment(self.until)))
        if self.row:
            found.append(exp.StartsWith(this=ref(names.ROW_ID), expression=exp.Literal.string(self.row)))
        if self.not_of:
            found.append(exp.NEQ(this=ref(names.QUARANTINE_RUN), expression=exp.Literal.string(self.not_of)))
        if self.ids:
            found.append(ref(names.ROW_ID).isin(*self.ids))
        if self.with_original:
            found.append(exp.not_(ref(names.ORIGINAL).is_(exp.null())))
        return found


@dataclass(frozen=True)
class QuarantinedRow:
    """One row: what is wrong with it, where it came from, and what became of it."""

    id: str
    state: str
    values: Mapping[str, object]
    errors: tuple[str, ...]
    rules: tuple[str, ...]
    categories: tuple[str, ...]
    file: str | None
    position: int | None
    run_id: str
    quarantined_at: datetime
    state_run: str
    reprocessed: bool
    reason: str | None = None
    original: object = None

    def to_dict(self) -> dict[str, object]:
        """The row as plain data."""
        return {**asdict(self), "quarantined_at": self.quarantined_at.isoformat()}


def rows_select(wanted: Wanted, columns: Columns, order: Order = "oldest") -> exp.Select:
    """The wanted rows, in an order that does not change between pages."""
    # As text, moments are the same on every engine.
    moment = named(names.QUARANTINED_AT, exp.cast(ref(names.QUARANTINED_AT), STRING))
    stored = (ref(column) for column in columns.without([names.QUARANTINED_AT, names.STATE]))
    select = exp.select(*stored, moment, named(names.STATE, wanted.state_now)).from_(SOURCE)
    for condition in wanted.conditions():
        select = select.where(condition)
    by = (names.REASON, names.QUARANTINED_AT) if order == "reason" else (names.QUARANTINED_AT,)
    first = [exp.Ordered(this=ref(name), desc=order == "newest", nulls_first=False) for name in by]
    return select.order_by(*first, exp.Ordered(this=ref(names.ROW_ID), nulls_first=False))


def numbered(rows: exp.Select) -> exp.Select:
    """Rows in order, each with its number, so that they can be taken part by part."""
    numbers = exp.Window(this=exp.RowNumber(), order=rows.args["order"].copy())
    found = rows.select(named(NUMBER, numbers))
    found.set("order", None)
    return found


def in_order(rows: Iterable[T], order: Order, row_in: Callable[[T], QuarantinedRow]) -> list[T]:
    """The same order for rows that were read, or for what holds them."""
    found = sorted(rows, key=lambda each: row_in(each).id)
    found.sort(key=lambda each: row_in(each).quarantined_at, reverse=order == "newest")
    if order == "reason":
        found.sort(key=lambda each: (row_in(each).reason is None, row_in(each).reason or ""))
    return found


def states_select(wanted: Wanted) -> exp.Select:
    """How many of the wanted rows are in each state."""
    count = named("rows", exp.Count(this=exp.Literal.number(1)))
    select = exp.select(named("state", wanted.state_now), count).from_(SOURCE).group_by(wanted.state_now)
    for condition in wanted.conditions():
        select = select.where(condition)
    return select


def row_of(stored: Mapping[str, object], private: set[str]) -> QuarantinedRow:
    """A stored row; a value that must not be shown in clear and is stored so is hidden."""
    values = {
        name: HIDDEN if value is not None and name.lower() in private else value
        for name, value in stored.items()
        if name not in names.RESERVED and name != NUMBER
    }
    position = stored[names.SOURCE_POSITION]
    return QuarantinedRow(
        id=str(stored[names.ROW_ID]),
        state=str(stored[names.STATE]),
        values=values,
        errors=_texts(stored[names.ERRORS]),
        rules=_texts(stored[names.RULES]),
        categories=_texts(stored[names.CATEGORIES]),
        file=None if stored[names.SOURCE_FILE] is None else str(stored[names.SOURCE_FILE]),
        position=None if position is None else int(str(position)),
        run_id=str(stored[names.QUARANTINE_RUN]),
        quarantined_at=_read_moment(str(stored[names.QUARANTINED_AT])),
        state_run=str(stored[names.STATE_RUN]),
        reprocessed=bool(stored[names.REPROCESSED]),
        reason=None if stored.get(names.REASON) is None else str(stored[names.REASON]),
    )


def original_of(text: str) -> object:
    """The original row: its columns, or the text of a record that could not be read."""
    try:
        return json.loads(text)
    except ValueError:
        return text


def _texts(value: object) -> tuple[str, ...]:
    return tuple(str(each) for each in value) if isinstance(value, Sequence) and not isinstance(value, str) else ()


def _read_moment(text: str) -> datetime:
    found = datetime.fromisoformat(text)
    return found.replace(tzinfo=UTC) if found.tzinfo is None else found


def _moment(value: datetime) -> exp.Expr:
    return exp.cast(exp.Literal.string(value.isoformat()), TIMESTAMP)
