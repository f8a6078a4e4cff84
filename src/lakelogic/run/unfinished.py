"""A run that was begun and never finished: what it has published, and undoing what it has not."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from lakelogic.engines.base import Committed, Engine
from lakelogic.plan.again import resolving
from lakelogic.plan.model import TablePlan
from lakelogic.plan.names import QUARANTINE_RUN, STATE_RUN
from lakelogic.run.again import Again, resolution
from lakelogic.run.begin import Ask, Beginning
from lakelogic.run.result import Counts, RunResult, result_of_claim
from lakelogic.sources.discover import source_of
from lakelogic.state.claims import QUARANTINE, RESET, Claim
from lakelogic.write.operations import AppendRows


@dataclass(frozen=True)
class Unfinished:
    """An earlier run that this process now holds."""

    claim: Claim
    beginning: Beginning
    engine: Engine[Any]

    def published(self) -> Committed | None:
        """What it wrote to the target. The target comes last, so then all its rows are written."""
        target = self.beginning.target
        place = _place(target.text, target.is_name, self.claim.formats[0])
        return self.engine.find_commit(place, self.claim.run_id)

    def as_asked(self) -> Beginning | None:
        """How to go on with the same input under the same contract; None where either has changed since."""
        claim, now = self.claim, self.beginning
        if claim.contract != now.contract_digest:
            return None
        if claim.input.kind == "frame":
            return now if now.ask.frame is not None and now.ask.batch_id == claim.input.batch_id else None
        if (again := Again.of(claim)) is not None:
            return Beginning(now.loaded, Ask(target=now.ask.target, again=again), now.keys, now.claims)
        if claim.input.kind in (QUARANTINE, RESET):
            return None
        own = now.loaded.source is not None and source_of(now.loaded).location.text == claim.input.location
        ask = Ask(source=None if own else claim.input.location, target=now.ask.target, part=claim.input.slice)
        begun = Beginning(now.loaded, ask, now.keys, now.claims)
        return begun if begun.has_still(claim.input) else None

    def undo(self) -> None:
        """Take its rows out of quarantine and secondary targets, so that another run may judge the input anew."""
        for place in self.claim.secondary:
            self.engine.undo(_place(*place), self.claim.run_id)
        table = self._quarantine()
        if table is None or self.engine.find_commit(table, self.claim.run_id) is None:
            return
        if self.claim.input.kind == QUARANTINE:
            self._reactivate(table)
        else:
            self.engine.delete(table, QUARANTINE_RUN, self.claim.run_id)

    def _quarantine(self) -> TablePlan | None:
        """Where its bad rows are."""
        return _place(*self.claim.quarantine, self.claim.formats[1]) if self.claim.quarantine else None

    def _reactivate(self, table: TablePlan) -> None:
        """Rows that it has resolved are active again; they stood in quarantine before."""
        own = f"SELECT * FROM source WHERE {STATE_RUN} = '{self.claim.run_id}'"
        rows = self.engine.select(own, {"source": self.engine.read_back(table, None)})
        active = resolution(self.engine, rows, "active", self.claim.run_id, reprocessed=False)
        self.engine.write(resolving(table), active, self.beginning.stamp("undo", self.claim))

    def accounts(self, target: Committed) -> RunResult:
        """The run as far as its commits tell: its input or its contract is no longer what it was."""
        claim, bad = self.claim, self._quarantine()
        quarantine = self.engine.find_commit(bad, claim.run_id) if bad else None
        return replace(
            result_of_claim(self.beginning.loaded, claim, self.engine.name),
            counts=Counts(good=target.rows, quarantined=quarantine.rows if quarantine else 0),
            target=target,
            quarantine=quarantine,
            notes=("An earlier process wrote these rows and ended before it could count the others.",),
        )


def _place(location: str, is_name: bool, format_: str) -> TablePlan:
    return TablePlan(location, is_name, "append", AppendRows(), format=format_)
