"""How contracts fared: their last runs, as run logs and claims tell it without an engine."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field, replace
from datetime import datetime
from pathlib import Path
from typing import Any, Literal

from lakelogic.driver.nodes import Node
from lakelogic.observe.service_levels import freshness_hours
from lakelogic.plan.build import identity_of, target_of
from lakelogic.state.claims import Claims
from lakelogic.state.runlog import RunLog

NEVER = "never ran"
UNFINISHED = "unfinished"
_UP_TO_DATE = ("succeeded", "no_new_data")
_COLUMNS = [
    "contract", "run_id", "status", "reason", "error", "started_at", "ended_at", "duration_seconds", "counts_source",
    "counts_good", "counts_quarantined",
]  # fmt: skip

Freshness = Literal["fresh", "stale", "unknown"]


@dataclass(frozen=True)
class Run:
    """One run of a contract, as the run log has it."""

    run_id: str
    status: str
    ended: datetime | None
    seconds: float | None = None
    source: int | None = None
    good: int | None = None
    quarantined: int | None = None
    told: str | None = None


@dataclass(frozen=True)
class Runs:
    """The last run, the last one that wrote rows, when the data was last known to be up to date, and what is unfinished.

    `fresh_hours` is how old the contract lets its data get.
    """

    last: Run | None = None
    wrote: Run | None = None
    up_to_date: datetime | None = None
    unfinished_since: datetime | None = None
    fresh_hours: float | None = None

    @property
    def state(self) -> str:
        """The status of the last run, or that there was none, or that it was begun and never finished."""
        if self.unfinished_since is not None:
            return UNFINISHED
        return self.last.status if self.last else NEVER

    def freshness(self, now: datetime) -> Freshness | None:
        """Whether the data is as new as promised; None where nothing is promised."""
        if self.fresh_hours is None:
            return None
        if self.up_to_date is None:
            return "unknown"
        return "fresh" if (now - self.up_to_date).total_seconds() <= self.fresh_hours * 3600 else "stale"

    def to_dict(self) -> dict[str, object]:
        return {"state": self.state, **asdict(self)}


@dataclass
class RunsKept:
    """Reads each run log once, however many contracts share it."""

    _logs: dict[Path, Mapping[str, Runs]] = field(default_factory=dict)

    def of(self, node: Node) -> Runs:
        """How a contract fared.

        Raises:
            StateError: its run log or its claims can't be read.
        """
        loaded = node.contract
        folder = loaded.project.state_dir
        if folder not in self._logs:
            self._logs[folder] = by_contract(RunLog(folder).rows(_COLUMNS))
        known = self._logs[folder].get(node.name, Runs())
        claim = Claims(folder / "runs" / identity_of(loaded, target_of(loaded))).unfinished()
        hours = freshness_hours(loaded.model.service_levels)
        return replace(known, unfinished_since=claim.started if claim else None, fresh_hours=hours)


def by_contract(rows: Iterable[Mapping[str, Any]]) -> Mapping[str, Runs]:
    """What rows of the run log, oldest first, tell of each contract."""
    found: dict[str, Runs] = {}
    for row in rows:
        before = found.get(str(row["contract"]), Runs())
        run = _run(row)
        changes: dict[str, Any] = {"last": run}
        if run.status in _UP_TO_DATE:
            changes["up_to_date"] = run.ended
        if run.status == "succeeded":
            changes["wrote"] = run
        found[str(row["contract"])] = replace(before, **changes)
    return found


def _run(row: Mapping[str, Any]) -> Run:
    return Run(
        row["run_id"],
        row["status"],
        row["ended_at"] or row["started_at"],
        row["duration_seconds"],
        row["counts_source"],
        row["counts_good"],
        row["counts_quarantined"],
        row["error"] or row["reason"],
    )
