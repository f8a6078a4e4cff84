"""Rules in a table: what they say, how they fared last, and how over time."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from lakelogic.observe.history import RulePoint
from lakelogic.run.result import DatasetRuleResult, RuleResult, RunResult
from lakelogic.serve.pages.states import State, rule_state
from lakelogic.serve.reading.rules import DeclaredRule, condition_in
from lakelogic.wording import measured, number

_NOT_YET = State("idle", "not judged yet")
_WORST_FIRST = {"bad": 0, "warn": 1}


@dataclass(frozen=True)
class RuleRow:
    """A rule; `rate` is the share of rows that passed it last, `trend` the same in percent over time."""

    name: str
    state: State
    category: str
    severity: str
    stage: str
    message: str
    result: str
    failed: int | None = None
    rate: float | None = None
    trend: tuple[float | None, ...] = ()

    @property
    def trend_label(self) -> str:
        """The trend in words, for those who can't see it."""
        known = [value for value in self.trend if value is not None]
        return f"Pass rate from {known[0]:.1f}% to {known[-1]:.1f}%" if known else "Pass rate is not known"


def rule_rows(
    result: RunResult | None, points: Iterable[RulePoint] = (), declared: Sequence[DeclaredRule] = ()
) -> tuple[RuleRow, ...]:
    """The rules that a run has judged, and those that are declared and have not been; failing ones first."""
    past = _past(points)
    rows = []
    if result is not None:
        rows += [_of_rows(rule, result.counts.source, past) for rule in result.rules]
        rows += [_of_dataset(rule, past) for rule in result.dataset_rules]
    known = {row.name for row in rows}
    rows += [
        RuleRow(rule.name, _NOT_YET, rule.category or "", rule.severity, "", rule.condition, "-")
        for rule in declared
        if rule.name not in known
    ]
    return tuple(sorted(rows, key=lambda row: _WORST_FIRST.get(row.state.kind, 2)))


def _past(points: Iterable[RulePoint]) -> Mapping[str, tuple[float | None, ...]]:
    """Pass rates of each rule, oldest first."""
    past: dict[str, tuple[float | None, ...]] = {}
    for point in points:
        rule = point.rule
        # A dataset rule has no rows: it passes whole, or not at all.
        whole = {"passed": 100.0, "failed": 0.0, "error": 0.0}.get(rule.status) if rule.stage is None else None
        percent = whole if rule.failed is None else _percent(rule.failed, point.counts_source)
        past[rule.name] = (percent, *past.get(rule.name, ()))
    return past


def _percent(failed: int | None, rows: int | None) -> float | None:
    """Percent of rows that passed."""
    return 100.0 * (1 - failed / rows) if rows and failed is not None else None


def _of_rows(rule: RuleResult, rows: int | None, past: Mapping[str, tuple[float | None, ...]]) -> RuleRow:
    percent = _percent(rule.failed, rows)
    return RuleRow(
        rule.name,
        rule_state(rule),
        rule.category,
        rule.severity,
        rule.stage,
        condition_in(rule.message, rule.name),
        number(rule.failed),
        rule.failed,
        None if percent is None else percent / 100,
        past.get(rule.name, ()),
    )


def _of_dataset(rule: DatasetRuleResult, past: Mapping[str, tuple[float | None, ...]]) -> RuleRow:
    kept = past.get(rule.name, ())
    passed = [value for value in kept if value is not None]
    return RuleRow(
        rule.name,
        rule_state(rule),
        rule.category,
        rule.severity,
        "dataset",
        condition_in(rule.message, rule.name),
        f"measured {measured(rule.value)}",
        rate=sum(passed) / len(passed) / 100 if passed else None,
        trend=kept,
    )
