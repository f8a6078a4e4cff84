"""How things fare, in a word and a colour: runs, rules, promises, and contracts as a whole."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from lakelogic.observe.history import Run
from lakelogic.observe.service_levels import ServiceLevelResult
from lakelogic.run.result import DatasetRuleResult, RuleResult, RunResult
from lakelogic.serve.reading.contracts import ContractSummary

Kind = Literal["good", "warn", "bad", "idle"]

_RUNS: dict[str, tuple[Kind, str]] = {
    "succeeded": ("good", "succeeded"),
    "no_new_data": ("idle", "nothing new"),
    "failed": ("bad", "failed"),
    "awaiting_approval": ("warn", "needs approval"),
    "blocked": ("warn", "blocked"),
    "skipped": ("idle", "skipped"),
}
_HEALTHS: dict[str, tuple[Kind, str]] = {
    "healthy": ("good", "healthy"),
    "late": ("warn", "late"),
    "waiting": ("warn", "needs approval"),
    "failed": ("bad", "failed"),
    "broken": ("bad", "can't be loaded"),
    "never": ("idle", "never run"),
}
_OUTCOMES: dict[str, Kind] = {"passed": "good", "failed": "bad", "error": "bad", "unknown": "idle"}


@dataclass(frozen=True)
class State:
    """A word for how something fares, its colour, and the reason where there is one to tell."""

    kind: Kind
    word: str
    why: str = ""


def run_state(run: Run) -> State:
    """How a run ended."""
    kind, word = _RUNS.get(run.status or "", ("idle", run.status or "unknown"))
    return State(kind, word)


def rule_state(rule: RuleResult | DatasetRuleResult) -> State:
    """How a rule fared; one that only warns is no failure."""
    kind = _OUTCOMES.get(rule.status, "idle")
    mild = kind == "bad" and rule.severity in ("warning", "info")
    return State("warn" if mild else kind, rule.status)


def level_state(level: ServiceLevelResult) -> State:
    """How a promise fared."""
    return State(_OUTCOMES.get(level.status, "idle"), level.status)


def freshness(summary: ContractSummary, now: datetime) -> State | None:
    """Whether a contract was brought up to date as lately as it promises; None without a promise."""
    limit = summary.fresh_for_hours
    if limit is None:
        return None
    if summary.last_success is None:
        return State("idle", "unknown", "no run has succeeded yet")
    age = (now - summary.last_success).total_seconds() / 3600
    told = f"{_hours(age)} of {_hours(limit)}"
    return State("bad", f"late, {told}") if age > limit else State("good", f"fresh, {told}")


def health(summary: ContractSummary, last: RunResult | None) -> State:
    """A contract as a whole. One that has written rows and still keeps others from running is not healthy."""
    kind, word = _HEALTHS[summary.health]
    run = summary.last_run
    if kind == "good":
        rules = last.dataset_rules if last else ()
        if broken := _names(rule for rule in rules if rule_state(rule).kind == "bad"):
            return State("bad", "blocks others", f"dataset rules failed: {broken}")
        promises = last.service_levels if last else ()
        if broken := _names(level for level in promises if level.status == "failed"):
            return State("warn", "promise broken", broken)
        return State(kind, word)
    told = (run.error or run.reason) if run and kind in ("bad", "warn") and summary.health != "late" else None
    return State(kind, word, summary.problem or told or "")


def _names(outcomes: Iterable[DatasetRuleResult | ServiceLevelResult]) -> str:
    return ", ".join(outcome.name for outcome in outcomes)


def _hours(hours: float) -> str:
    if hours < 1:
        return f"{hours * 60:.0f} min"
    return f"{hours:.0f} h" if hours < 72 else f"{hours / 24:.0f} d"
