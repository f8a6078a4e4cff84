"""The review queue: which contracts have rows to look at, and those rows with their reasons."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from urllib.parse import urlencode

from lakelogic.observe.history import Run
from lakelogic.quarantine.rows import STATES, QuarantinedRow
from lakelogic.run.result import RunResult
from lakelogic.serve.pages.views.parts import Paging, address, paging
from lakelogic.serve.reading.contracts import ContractSummary
from lakelogic.wording import cell

PAGE = 25
_MOST = 100
_SHOWN_VALUES = 12


@dataclass(frozen=True)
class Waiting:
    """A contract with rows in quarantine."""

    name: str
    layer: str | None
    last: int | None
    total: int
    at: datetime | None
    rules: tuple[str, ...]


@dataclass(frozen=True)
class Index:
    """The contracts to choose from."""

    contracts: tuple[Waiting, ...]
    total: int
    any_run: bool
    first_command: str


@dataclass(frozen=True)
class Asked:
    """Which rows of a contract the visitor looks at."""

    contract: str
    state: str = "active"
    rule: str = ""
    run: str = ""
    offset: int = 0

    @property
    def query(self) -> dict[str, object]:
        state = "" if self.state == "active" else self.state
        return {"contract": self.contract, "state": state, "rule": self.rule, "run": self.run}

    @property
    def narrowed(self) -> bool:
        return bool(self.rule or self.run)


@dataclass(frozen=True)
class Tab:
    """A state that rows are in, and how many are."""

    word: str
    link: str
    rows: int
    chosen: bool


@dataclass(frozen=True)
class QueueRow:
    """A row in the queue; values that the reasons speak of come first and are told apart."""

    id: str
    state: str
    reasons: tuple[tuple[str, str], ...]
    values: tuple[tuple[str, str, bool], ...]
    hidden: int
    origin: str
    at: datetime
    run_id: str
    link: str


@dataclass(frozen=True)
class Queue:
    """The rows of a contract, and what may be done with them."""

    asked: Asked
    layer: str | None
    table: str
    tabs: tuple[Tab, ...]
    rules: tuple[str, ...]
    runs: tuple[tuple[str, str], ...]
    rows: tuple[QueueRow, ...]
    paging: Paging
    decisions: tuple[Run, ...]
    may_act: bool
    job: str

    @property
    def contract(self) -> str:
        return self.asked.contract

    @property
    def here(self) -> str:
        return address("/review", {**self.asked.query, "offset": self.asked.offset})

    @property
    def downloads(self) -> tuple[tuple[str, str], ...]:
        """All rows that fit, as files."""
        asked = {**self.asked.query, "state": self.asked.state}
        return tuple((form, address("/api/quarantine/download", {**asked, "as": form})) for form in ("csv", "parquet"))

    @property
    def actions(self) -> bool:
        """Whether buttons are shown: for holders of the token, where a row is left to decide about."""
        return self.may_act and any(row.state == "active" for row in self.rows)

    @property
    def nothing(self) -> str:
        if self.asked.narrowed:
            return "No row fits. Take another filter."
        return "Nothing waits for a decision." if self.asked.state == "active" else "No row is in this state."


@dataclass(frozen=True)
class RowPage:
    """One row, whole. `original` is what was read, where everybody may see it."""

    contract: str
    row: QueueRow
    values: tuple[tuple[str, str, str], ...]
    with_original: bool
    note: str


def index(
    contracts: Iterable[ContractSummary],
    recent: Mapping[str, Sequence[Run]],
    last: Mapping[str, RunResult],
    first_command: str,
) -> Index:
    """Contracts whose runs have quarantined rows, those of late first."""
    found = [
        waiting for each in contracts if (waiting := _waiting(each, recent.get(each.name, ()), last.get(each.name)))
    ]
    found.sort(key=lambda each: (each.at is not None, each.at), reverse=True)
    return Index(tuple(found[:_MOST]), len(found), bool(recent), first_command)


def _waiting(summary: ContractSummary, runs: Sequence[Run], last: RunResult | None) -> Waiting | None:
    with_bad = [run for run in runs if run.counts_quarantined]
    if not with_bad:
        return None
    failed = tuple(rule.name for rule in last.rules if rule.failed) if last else ()
    total = sum(run.counts_quarantined or 0 for run in with_bad)
    newest = with_bad[0]
    return Waiting(summary.name, summary.layer, newest.counts_quarantined, total, newest.ended_at, failed)


def queue(
    asked: Asked,
    layer: str | None,
    table: str,
    rows: Sequence[QuarantinedRow],
    states: Mapping[str, int],
    rules: Sequence[str],
    runs: Sequence[Run],
    *,
    may_act: bool,
    job: str = "",
) -> Queue:
    """The page; `states` counts the rows that fit the filter in each state, `runs` are newest first."""
    total = sum(states.values()) if asked.state == "all" else states.get(asked.state, 0)
    chosen = [(run.run_id, _told(run)) for run in runs if run.counts_quarantined and run.mode not in ("replay", "drop")]
    return Queue(
        asked=asked,
        layer=layer,
        table=table,
        tabs=tuple(_tab(asked, state, states) for state in (*STATES, "all")),
        rules=tuple(rules),
        runs=tuple(chosen),
        rows=tuple(queue_row(asked.contract, row) for row in rows),
        paging=paging("/review", asked.query, PAGE, asked.offset, total),
        decisions=tuple(run for run in runs if run.mode in ("replay", "release", "drop"))[:10],
        may_act=may_act,
        job=job,
    )


def _tab(asked: Asked, state: str, states: Mapping[str, int]) -> Tab:
    rows = sum(states.values()) if state == "all" else states.get(state, 0)
    link = address("/review", {**asked.query, "state": "" if state == "active" else state})
    return Tab("To review" if state == "active" else state.capitalize(), link, rows, state == asked.state)


def _told(run: Run) -> str:
    when = run.started_at.strftime("%Y-%m-%d %H:%M") if run.started_at else run.run_id
    return f"{when}, {run.counts_quarantined} rows"


def queue_row(contract: str, row: QuarantinedRow) -> QueueRow:
    """A row as the queue shows it."""
    said = " ".join(row.errors)
    values = [(name, cell(value), _mentions(said, name)) for name, value in row.values.items()]
    # What the reasons are about is what the reviewer looks for.
    values.sort(key=lambda each: not each[2])
    place = "" if row.position is None else f", row {row.position + 1}"
    origin = f"{row.file.rpartition('/')[2]}{place}" if row.file else "a table"
    return QueueRow(
        id=row.id,
        state=row.state,
        reasons=tuple(zip(row.rules, row.errors, strict=False)),
        values=tuple(values[:_SHOWN_VALUES]),
        hidden=max(len(values) - _SHOWN_VALUES, 0),
        origin=origin,
        at=row.quarantined_at,
        run_id=row.run_id,
        link=f"/review/row?{urlencode({'contract': contract, 'id': row.id})}",
    )


def row_page(contract: str, row: QuarantinedRow) -> RowPage:
    """One row, whole."""
    original = row.original if isinstance(row.original, Mapping) else {}
    names = dict.fromkeys([*row.values, *original])
    values = tuple((name, _cell(row.values, name), _cell(original, name)) for name in names)
    note = "" if row.original is not None else "The original is not shown here: the contract has private columns."
    if row.original is not None and not original:
        values += (("the record", "", cell(row.original)),)
    return RowPage(contract, queue_row(contract, row), values, row.original is not None, note)


def _cell(values: Mapping[str, object], name: str) -> str:
    return cell(values[name]) if name in values else "-"


def _mentions(text: str, name: str) -> bool:
    return re.search(rf"(?<!\w){re.escape(name)}(?!\w)", text) is not None
