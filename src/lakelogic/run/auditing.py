"""One aggregate before anything is published: dataset rules, merge keys, and gates on bad rows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from lakelogic.engines.base import Engine
from lakelogic.errors import GateClosed
from lakelogic.plan.model import AuditPlan, Plan
from lakelogic.rules.base import within
from lakelogic.run.judging import Judged, Pin
from lakelogic.run.result import DatasetRuleResult
from lakelogic.wording import counted

_SHOWN_KEYS = 3


@dataclass(frozen=True)
class Audited:
    """What the aggregate over the good rows told."""

    rules: tuple[DatasetRuleResult, ...] = ()
    good_rows: int | None = None

    @property
    def failed(self) -> tuple[DatasetRuleResult, ...]:
        return tuple(rule for rule in self.rules if rule.status != "passed" and rule.severity == "error")


class Auditor:
    """Measures good rows and stops the run where the contract says so."""

    def __init__(self, plan: Plan, engine: Engine[Any], links: Mapping[str, Any], pin: Pin) -> None:
        self._plan = plan
        self._engine = engine
        self._links = links
        self._pin = pin

    def audit(self, good: Any) -> Audited:
        """Measure all dataset rules and the merge keys in one query.

        Raises:
            GateClosed: a key of a merge is NULL or repeated.
        """
        if self._plan.questions.measure is None:
            return Audited()
        row = self._engine.measure(self._pin(self._plan.questions.measure), {"source": good, **self._links})
        rules = tuple(_judged(audit, row[f"a{i}"]) for i, audit in enumerate(self._plan.audits))
        if not self._plan.unique_by:
            return Audited(rules)
        self._check_keys(good, row)
        return Audited(rules, int(str(row["rows"])))

    def stop_on_bad_rows(self, judged: Judged) -> None:
        """Where any bad row is an error, count them before anything is written.

        Raises:
            GateClosed: there are some.
        """
        question = self._plan.questions.any_bad
        if not self._plan.fail_on_quarantine or question is None:
            return
        bad = self._engine.union(
            [self._engine.select("SELECT _lakelogic_errors FROM source", {"source": frame}) for _, frame in judged.bad]
        )
        row = self._engine.measure(question, {"source": bad})
        if row["rows"]:
            raise GateClosed(
                f"{counted(int(str(row['rows'])), 'bad row')}, and the contract allows none. For example: {row['example']}",
                cure="Nothing was written. Mend the source, or allow quarantine.",
            )

    def ratio(self, judged: Judged) -> float:
        """The share of bad rows among those judged, counted before anything is written."""
        bad = [(stage, self._rows(frame)) for stage, frame in judged.bad]
        at_split = self._rows(judged.at_split) + sum(rows for stage, rows in bad if stage is self._plan.pre)
        return sum(rows for _, rows in bad) / at_split if at_split else 0.0

    def _rows(self, frame: Any) -> int:
        return int(str(self._engine.measure("SELECT count(1) AS rows FROM source", {"source": frame})["rows"]))

    def _check_keys(self, good: Any, row: Mapping[str, object]) -> None:
        names = ", ".join(self._plan.unique_by)
        if row["null_keys"]:
            raise GateClosed(
                f"{row['null_keys']} good rows have a NULL in their key ({names}), and merge needs every key.",
                cure="Nothing was written. Make the key required, so that such rows are quarantined.",
            )
        if row.get("repeated_keys"):
            raise GateClosed(
                f"the batch repeats {row['repeated_keys']} keys ({names}){self._example(good)}; merge needs each once.",
                cure="Nothing was written. Add a deduplicate transformation, or merge_dedup_guard.",
            )

    def _example(self, good: Any) -> str:
        hidden = {name.lower() for name in self._plan.hide}
        keys, question = self._plan.unique_by, self._plan.questions.repeated_keys
        if question is None or any(key.lower() in hidden for key in keys):
            return ""
        rows = self._engine.rows(question, {"source": good}, _SHOWN_KEYS)
        return ", such as " + "; ".join("/".join(str(row[key]) for key in keys) for row in rows)


def _judged(audit: AuditPlan, value: object) -> DatasetRuleResult:
    number = None if value is None else float(str(value))
    passed = within(number, audit.low, audit.high, low_open=audit.low_open, high_open=audit.high_open)
    return DatasetRuleResult(
        audit.name, "passed" if passed else "failed", number, audit.severity, audit.category, audit.message
    )
