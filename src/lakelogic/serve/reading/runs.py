"""The runs of a project, as its run logs tell them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

from lakelogic.errors import UsageError
from lakelogic.observe.history import Found, History, RulePoint, Run, RunDetail, Wanted
from lakelogic.serve.answers import NotFound
from lakelogic.serve.reading.remembering import Remembered, Stamp, stamp_of

# How many runs back the runs of all contracts are looked for; of one that ran longer ago, the last one is known.
_RECENT = 2_000
_BEGINNING = datetime.min.replace(tzinfo=UTC)


@dataclass(frozen=True)
class Runs:
    """Asks the run logs of some state folders, and asks again only when one of them has changed."""

    folders: tuple[Path, ...]
    _kept: Remembered = field(default_factory=lambda: Remembered(64), compare=False, repr=False)

    @property
    def stamp(self) -> Stamp:
        """Changes whenever a run is logged."""
        return stamp_of(folder / "run_log" / "_delta_log" for folder in self.folders)

    def newest(self, wanted: Wanted | None = None, *, limit: int = 50, offset: int = 0) -> Found:
        """Runs that are asked for, newest first."""
        asked = wanted or Wanted()
        return self._kept.get(("newest", asked, limit, offset), self.stamp, lambda: self._newest(asked, limit, offset))

    def run(self, run_id: str) -> RunDetail:
        """All that is known of a run.

        Raises:
            NotFound: there is no such run.
        """
        return self._kept.get(("run", run_id), self.stamp, lambda: self._run(run_id))

    def details(self, run_ids: tuple[str, ...]) -> Mapping[str, RunDetail]:
        """Several runs with all that is known of them, by their ids."""
        return self._kept.get(("details", run_ids), self.stamp, lambda: self._details(run_ids))

    def recent(self) -> Mapping[str, tuple[Run, ...]]:
        """The newest runs of every contract, newest first."""
        return self._kept.get("recent", self.stamp, self._recent)

    def scores(self) -> Mapping[str, tuple[float | None, ...]]:
        """The quality of what the source of every contract sent, in its newest runs, oldest first."""
        return self._kept.get("scores", self.stamp, self._scores)

    def last_written(self, contract: str, target: str) -> Run | None:
        """The last run of a contract that succeeded and has left a version of this target."""
        succeeded = self.newest(Wanted(contract=contract, status="succeeded"), limit=20).runs
        return next((run for run in succeeded if run.target == target and run.target_version is not None), None)

    def last_judged(self, contract: str) -> RunDetail | None:
        """The last run of a contract that succeeded and has judged rows of its source."""
        succeeded = self.newest(Wanted(contract=contract, status="succeeded"), limit=20).runs
        found = next((run for run in succeeded if not run.is_command), None)
        return self.run(found.run_id) if found else None

    def rules(self, contract: str, limit: int) -> tuple[RulePoint, ...]:
        """How the rules of a contract fared in its newest runs, newest first."""
        return self._kept.get(("rules", contract, limit), self.stamp, lambda: self._rules(contract, limit))

    def _newest(self, wanted: Wanted, limit: int, offset: int) -> Found:
        if len(self.folders) == 1:
            return History(self.folders[0]).runs(wanted, limit=limit, offset=offset)
        found = [History(folder).runs(wanted, limit=limit + offset) for folder in self.folders]
        merged = sorted((run for each in found for run in each.runs), key=_began, reverse=True)
        return Found(tuple(merged[offset : offset + limit]), sum(each.total for each in found))

    def _recent(self) -> Mapping[str, tuple[Run, ...]]:
        grouped: dict[str, list[Run]] = {}
        for run in self._newest(Wanted(), _RECENT, 0).runs:
            grouped.setdefault(run.contract or "", []).append(run)
        for last in (run for folder in self.folders for run in History(folder).last_runs()):
            grouped.setdefault(last.contract or "", [last])
        return {contract: tuple(runs) for contract, runs in grouped.items()}

    def _run(self, run_id: str) -> RunDetail:
        for folder in self.folders:
            try:
                return History(folder).run(run_id)
            except UsageError:
                continue
        raise NotFound(f"run '{run_id}' is unknown.", cure="/api/runs lists them.")

    def _scores(self) -> Mapping[str, tuple[float | None, ...]]:
        found = (History(folder).scores() for folder in self.folders)
        return {contract: scores for each in found for contract, scores in each.items()}

    def _details(self, run_ids: tuple[str, ...]) -> Mapping[str, RunDetail]:
        found = (History(folder).details(run_ids) for folder in self.folders)
        return {run_id: detail for each in found for run_id, detail in each.items()}

    def _rules(self, contract: str, limit: int) -> tuple[RulePoint, ...]:
        return tuple(point for folder in self.folders for point in History(folder).rule_history(contract, limit=limit))


def judged_rows(run: Run) -> int | None:
    """How many rows of a run were judged: all that were read, less what was left out before; None if not known."""
    counts = (run.counts_source, run.counts_expanded, run.counts_filtered, run.counts_deduplicated)
    if any(count is None for count in counts):
        return None
    source, expanded, filtered, deduplicated = (count or 0 for count in counts)
    return source + expanded - filtered - deduplicated


def _began(run: Run) -> datetime:
    return run.started_at or _BEGINNING
