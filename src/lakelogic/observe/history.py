"""The runs that there were, as the log tells them: found by what is asked, and no more of it read than that needs."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lakelogic.errors import UsageError, nearest
from lakelogic.state.runlog import RunLog, as_rows, moment_of

if TYPE_CHECKING:
    import pyarrow as pa

_GUESSED = 500
_COMMANDS = frozenset({"replay", "release", "drop", "reset"})


@dataclass(frozen=True)
class Wanted:
    """Which runs are asked for; what is None does not matter. `since` and `until` are about when they began."""

    contract: str | None = None
    layer: str | None = None
    status: str | None = None
    engine: str | None = None
    pipeline_run_id: str | None = None
    since: datetime | None = None
    until: datetime | None = None

    @property
    def equal(self) -> dict[str, str | list[str]]:
        """The columns that must have a value."""
        names = ("contract", "layer", "status", "engine", "pipeline_run_id")
        values = ((name, getattr(self, name)) for name in names)
        return {name: value for name, value in values if value is not None}


@dataclass(frozen=True)
class Run:
    """A run as it is listed; the names are those of the run log's columns. What is not known is None."""

    run_id: str
    pipeline_run_id: str | None = None
    sequence: int | None = None
    attempt: int | None = None
    contract: str | None = None
    contract_file: str | None = None
    contract_version: str | None = None
    layer: str | None = None
    domain: str | None = None
    system: str | None = None
    environment: str | None = None
    engine: str | None = None
    plan: str | None = None
    mode: str | None = None
    reason: str | None = None
    status: str | None = None
    error: str | None = None
    window_start: datetime | None = None
    window_end: datetime | None = None
    started_at: datetime | None = None
    ended_at: datetime | None = None
    duration_seconds: float | None = None
    source: str | None = None
    input_files: int | None = None
    watermark: str | None = None
    counts_source: int | None = None
    counts_expanded: int | None = None
    counts_good: int | None = None
    counts_quarantined: int | None = None
    counts_filtered: int | None = None
    counts_deduplicated: int | None = None
    quarantine_ratio: float | None = None
    quality_score: float | None = None
    target: str | None = None
    target_version: int | None = None
    quarantine: str | None = None
    quarantine_version: int | None = None
    cost: float | None = None
    actor: str | None = None

    @property
    def is_command(self) -> bool:
        """Whether it decided about rows of quarantine or forgot earlier runs: it tells nothing of what the source sends."""
        return self.mode in _COMMANDS


@dataclass(frozen=True)
class RunDetail:
    """A run, and its whole result as data: what `lakelogic run --json` printed when it ended."""

    run: Run
    report: Mapping[str, Any]


@dataclass(frozen=True)
class RuleOutcome:
    """How a rule fared in a run: a row rule by the rows that `failed` it, a dataset rule by its `value`."""

    name: str
    status: str
    severity: str | None = None
    category: str | None = None
    stage: str | None = None
    failed: int | None = None
    value: float | None = None


@dataclass(frozen=True)
class RulePoint:
    """A rule in one of the runs of a contract."""

    run_id: str
    started_at: datetime | None
    counts_source: int | None
    rule: RuleOutcome


@dataclass(frozen=True)
class Found:
    """The runs that were asked for, newest first, and how many there are in all."""

    runs: tuple[Run, ...]
    total: int


_COLUMNS = [field.name for field in fields(Run)]
_SUCCEEDED = {"status": "succeeded"}


class History:
    """Reads the run log of a state folder. Nothing is kept in between: each question sees the log as it is.

    Raises:
        StateError: the log can't be read.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._log = RunLog(folder)

    def runs(self, wanted: Wanted | None = None, *, limit: int = 20, offset: int = 0) -> Found:
        """The newest of the runs that are asked for, after as many as `offset` says."""
        wanted = wanted or Wanted()
        begun = self._log.arrow(["started_at"], wanted.equal, since=wanted.since, until=wanted.until)
        oldest = _nth_newest(begun, offset + limit)
        since = max(filter(None, (oldest, wanted.since)), default=None)
        rows = _newest(self._log.arrow(_COLUMNS, wanted.equal, since=since, until=wanted.until))
        return Found(tuple(Run(**row) for row in as_rows(rows.slice(offset, limit))), len(begun))

    def run(self, run_id: str) -> RunDetail:
        """All that is known of a run, named by its id or by how that ends; one that was resumed, by its last attempt.

        Raises:
            UsageError: no run has this name, or several have.
        """
        rows = self._rows_of(run_id) or self._rows_of(self._id_that_ends(run_id))
        return _detail(rows[0])

    def details(self, run_ids: Iterable[str]) -> dict[str, RunDetail]:
        """Several runs with all that is known of them, by their ids; those that are not in the log are left out."""
        wanted = list(run_ids)
        return {row["run_id"]: _detail(row) for row in reversed(self._rows_of(wanted))} if wanted else {}

    def _rows_of(self, run_id: str | list[str]) -> list[dict[str, Any]]:
        return as_rows(_newest(self._log.arrow([*_COLUMNS, "report"], {"run_id": run_id})))

    def _id_that_ends(self, ending: str) -> str:
        known = set(self._log.arrow(["run_id"]).column(0).to_pylist())
        found = [name for name in known if name.endswith(ending)] if ending else []
        if len(found) == 1:
            return str(found[0])
        if found:
            raise UsageError(f"{len(found)} runs end with '{ending}'.", cure="Write more of the id.")
        # Comparing words takes its time, and an id begins with when its run began.
        near = nearest(ending, sorted(known)[-_GUESSED:])
        cure = f"Did you mean '{near}'?" if near else "`lakelogic runs` lists them."
        raise UsageError(f"no run {ending} is in the log of {self.folder}.", cure=cure)

    def last_runs(
        self, wanted: Wanted | None = None, *, by: tuple[str, ...] = ("contract", "layer")
    ) -> tuple[Run, ...]:
        """The last run of every contract of every layer, or of each combination of some other columns."""
        wanted = wanted or Wanted()
        columns = [*by, "run_id", "started_at", "ended_at"]
        found = _newest(self._log.arrow(columns, wanted.equal, since=wanted.since, until=wanted.until))
        grouped = found.group_by(list(by), use_threads=False)
        last = grouped.aggregate([("run_id", "first"), ("started_at", "first")])
        if not len(last):
            return ()
        ids = last.column("run_id_first").to_pylist()
        oldest = min(filter(None, (row["started_at_first"] for row in as_rows(last))), default=None)
        rows = as_rows(_newest(self._log.arrow(_COLUMNS, {"run_id": ids}, since=oldest)))
        # A run that was resumed has a row for each attempt, the last one first.
        return tuple({row["run_id"]: Run(**row) for row in reversed(rows)}.values())[::-1]

    def scores(self, limit: int = 20) -> dict[str, tuple[float | None, ...]]:
        """The quality of what the source of every contract sent, in its newest runs that succeeded, oldest first."""
        found = _newest(self._log.arrow(["contract", "mode", "quality_score", "started_at", "ended_at"], _SUCCEEDED))
        scores: dict[str, list[float | None]] = {}
        columns = (found.column(name).to_pylist() for name in ("contract", "mode", "quality_score"))
        for contract, mode, score in zip(*columns, strict=True):
            kept = scores.setdefault(contract, [])
            if mode not in _COMMANDS and len(kept) < limit:
                kept.append(score)
        return {contract: tuple(reversed(kept)) for contract, kept in scores.items()}

    def rule_history(
        self, contract: str, rule: str | None = None, *, layer: str | None = None, limit: int = 50
    ) -> tuple[RulePoint, ...]:
        """How the rules of a contract, or one of them, fared in its newest runs, newest first."""
        wanted = Wanted(contract=contract, layer=layer, status="succeeded")
        begun = self._log.arrow(["started_at"], wanted.equal)
        columns = ["run_id", "started_at", "ended_at", "counts_source", "rules", "dataset_rules"]
        rows = _newest(self._log.arrow(columns, wanted.equal, since=_nth_newest(begun, limit)))
        return tuple(
            RulePoint(row["run_id"], row["started_at"], row["counts_source"], outcome)
            for row in as_rows(rows.slice(0, limit))
            for outcome in map(_rule, [*(row["rules"] or ()), *(row["dataset_rules"] or ())])
            if rule is None or outcome.name == rule
        )


def _detail(row: Mapping[str, Any]) -> RunDetail:
    report = row["report"]
    return RunDetail(Run(**{name: row[name] for name in _COLUMNS}), json.loads(report) if report else {})


def _newest(runs: pa.Table) -> pa.Table:
    """The rows by when they began, newest first; attempts of one run by when they ended."""
    return runs.sort_by([("started_at", "descending"), ("ended_at", "descending")])


def _nth_newest(begun: pa.Table, position: int) -> datetime | None:
    """When the n-th newest run began: older ones need not be read. None where there are fewer."""
    if len(begun) <= position:
        return None
    import pyarrow.compute as pc

    newest = pc.select_k_unstable(begun, position, sort_keys=[("started_at", "descending")])
    return moment_of(begun.column(0).cast("int64")[newest[-1].as_py()].as_py())


def _rule(data: Mapping[str, Any]) -> RuleOutcome:
    return RuleOutcome(**{field.name: data[field.name] for field in fields(RuleOutcome) if field.name in data})
