"""How contracts fared: their last runs, as run logs and claims tell it without an engine."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Literal

from lakelogic.driver.nodes import Node
from lakelogic.observe.history import History, Run
from lakelogic.observe.service_levels import freshness_hours
from lakelogic.plan.tables import identity_of, target_of
from lakelogic.state.claims import Claims
from lakelogic.state.runlog import RunLog

NEVER = "never ran"
UNFINISHED = "unfinished"
_LONG_AGO = datetime.min.replace(tzinfo=UTC)
_UP_TO_DATE = ("succeeded", "no_new_data")
_KINDS_OF_RUN = ("contract", "status", "mode")

Freshness = Literal["fresh", "stale", "unknown"]


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
        return self.last.status or NEVER if self.last else NEVER

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
            history = History(folder) if RunLog(folder).exists else None
            self._logs[folder] = by_contract(history.last_runs(by=_KINDS_OF_RUN) if history else ())
        known = self._logs[folder].get(node.name, Runs())
        claim = Claims(folder / "runs" / identity_of(loaded, target_of(loaded))).unfinished()
        # A run that is recorded has told how it ended, though the next one will look at what it left behind.
        begun = claim.started if claim and (known.last is None or known.last.run_id != claim.run_id) else None
        return replace(known, unfinished_since=begun, fresh_hours=freshness_hours(loaded.model.service_levels))


def by_contract(runs: Iterable[Run]) -> Mapping[str, Runs]:
    """What runs tell of each contract, in whatever order they come."""
    found: dict[str, Runs] = {}
    for run in sorted(runs, key=_moment):
        if run.is_command or run.contract is None:
            continue
        known = replace(found.get(run.contract, Runs()), last=run)
        if run.status in _UP_TO_DATE:
            known = replace(known, up_to_date=run.ended_at)
        found[run.contract] = replace(known, wrote=run) if run.status == "succeeded" else known
    return found


def _moment(run: Run) -> datetime:
    return run.ended_at or run.started_at or _LONG_AGO
