"""How many rows failed each rule, with an example: known from the write itself, or read back from what was committed."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from lakelogic.engines.base import Committed, Engine
from lakelogic.plan.model import Plan
from lakelogic.plan.names import RULES
from lakelogic.run.judging import Pin
from lakelogic.wording import HIDDEN

_NAME = "failures"
Failures = tuple[dict[str, int], dict[str, Mapping[str, object]]]


class Tally:
    """The failures of one run."""

    def __init__(self, plan: Plan, engine: Engine[Any], pin: Pin, *, observing: bool) -> None:
        """`observing` where this run writes its bad rows itself."""
        self._plan = plan
        self._engine = engine
        self._pin = pin
        self._observing = observing and engine.can.observe
        self._hidden = {name.lower() for name in plan.hide}

    def watched(self, bad: Any) -> Any:
        """Bad rows on their way into quarantine."""
        if not self._observing:
            return bad
        # What an engine observes may stand in its logs: nothing private is asked for.
        read = dict.fromkeys(name for check in self._plan.checks for name in check.columns)
        shown = [name for name in read if name.lower() not in self._hidden]
        return self._engine.tally(bad, _NAME, RULES, self._rules, shown)

    def read(self, quarantine: Committed | None) -> Failures:
        """Rows for each rule, with one example that is safe to show."""
        if quarantine is None or quarantine.rows == 0:
            return {}, {}
        rows = self._observed(quarantine) if self._observing else None
        found = self._stored(quarantine) if rows is None else rows
        columns = {check.name: check.columns for check in self._plan.checks}
        samples = {rule: self._shown(row, columns.get(rule, ())) for rule, (_, row) in found.items()}
        return {rule: failed for rule, (failed, _) in found.items()}, samples

    @property
    def _rules(self) -> tuple[str, ...]:
        return tuple(check.name for check in self._plan.checks if check.severity == "error")

    def _observed(self, quarantine: Committed) -> dict[str, tuple[int, str]] | None:
        """What passed into quarantine, if it is as much as was committed there."""
        seen = self._engine.observed(_NAME)
        if seen is None or seen["rows"] != quarantine.rows:
            return None
        failed = json.loads(str(seen["counts"]))
        told = {rule: (failed[place], str(seen[f"one{place}"])) for place, rule in enumerate(self._rules)}
        return {rule: (count, row) for rule, (count, row) in told.items() if count}

    def _stored(self, quarantine: Committed) -> dict[str, tuple[int, str]]:
        question = self._plan.questions.tally
        if self._plan.quarantine is None or question is None:
            return {}
        stored = self._engine.read_back(self._plan.quarantine, quarantine.version)
        rows = self._engine.rows(self._pin(question), {"source": stored}, limit=len(self._plan.checks))
        return {str(row["rule"]): (int(str(row["failed"])), str(row["sample"])) for row in rows}

    def _shown(self, text: str, columns: tuple[str, ...]) -> Mapping[str, object]:
        row, hidden = json.loads(text), self._hidden
        return {
            name: HIDDEN if name.lower() in hidden else row.get(name)
            for name in columns
            if name in row or name.lower() in hidden
        }
