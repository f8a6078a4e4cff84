"""From the source to good and bad rows: the plan's SELECTs, and the counts that only a pass over the rows can tell."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from lakelogic.engines.base import Engine
from lakelogic.plan.model import CheckPlan, Plan, StagePlan, StepPlan
from lakelogic.plan.names import KEYS

Pin = Callable[[str], str]

READ = "read"
SPLIT = "split"
POST = "post"


@dataclass
class Probes:
    """Points at which rows are counted: observed in the pass that writes them, or counted by themselves."""

    engine: Engine[Any]
    wanted: frozenset[str]
    observing: bool
    _points: dict[str, tuple[Any, dict[str, str]]] = field(default_factory=dict)

    def at(self, name: str, frame: Any, metrics: Mapping[str, str] | None = None) -> Any:
        """Count the rows that pass here, if anybody asked."""
        if name not in self.wanted:
            return frame
        asked = {"rows": "count(1)", **(metrics or {})}
        self._points[name] = frame, asked
        return self.engine.observe(frame, name, asked) if self.observing else frame

    def read(self, name: str) -> Mapping[str, int]:
        """What was counted; where observing told nothing, a pass of its own does."""
        row = self.engine.observed(name) if self.observing else None
        if row is None:
            frame, asked = self._points[name]
            select = ", ".join(f"{sql} AS {metric}" for metric, sql in asked.items())
            row = self.engine.measure(f"SELECT {select} FROM source", {"source": frame})
        return {metric: int(str(value or 0)) for metric, value in row.items()}


@dataclass(frozen=True)
class Judged:
    """Good rows after all steps, the bad rows of each stage, and the good rows at the split, not yet computed."""

    good: Any
    bad: tuple[tuple[StagePlan, Any], ...]
    at_split: Any = None


class Judge:
    """Applies a plan's stages to a source frame."""

    def __init__(self, plan: Plan, engine: Engine[Any], links: Mapping[str, Any], keys: Any, pin: Pin) -> None:
        self._plan = plan
        self._engine = engine
        self._links = links
        self._keys = keys
        self._pin = pin

    def judge(self, source: Any, probes: Probes) -> Judged:
        """Both stages, with their splits."""
        plan = self._plan
        frame = self._steps(plan.pre, probes.at(READ, source), probes)
        bad = [(plan.pre, self._select(plan.pre.bad, frame))] if plan.pre.bad else []
        good = self._select(plan.pre.good, frame) if plan.pre.good else frame
        good = at_split = probes.at(SPLIT, good, warning_counts(plan.pre.warnings, self._pin))
        good = self._steps(plan.post, good, probes)
        if plan.post.bad and plan.post.good:
            bad.append((plan.post, self._select(plan.post.bad, good)))
            good = self._select(plan.post.good, good)
        good = probes.at(POST, good, warning_counts(plan.post.warnings, self._pin))
        return Judged(good, tuple(bad), at_split)

    def published(self, good: Any) -> Any:
        """Good rows as they are stored."""
        return self._select(self._plan.publish, good)

    def quarantined(self, judged: Judged) -> Any:
        """Bad rows as they are stored, of both stages."""
        stages = [(stage.quarantine, frame) for stage, frame in judged.bad if stage.quarantine]
        stored = [self._select(sql, self._engine.gather(frame)) for sql, frame in stages]
        return self._engine.union(stored)

    def _steps(self, stage: StagePlan, frame: Any, probes: Probes) -> Any:
        for step in stage.steps:
            relations = {"source": frame, **{name: self._links[name] for name in step.links}}
            frame = self._engine.select(self._pin(step.sql), relations)
            frame = probes.at(step_point(step), frame)
        return frame

    def _select(self, sql: str, frame: Any) -> Any:
        relations = {"source": frame}
        if KEYS in sql:
            relations[KEYS] = self._keys
        return self._engine.select(self._pin(sql), relations)


def step_point(step: StepPlan) -> str:
    return f"after {step.name}"


def warning_counts(checks: tuple[CheckPlan, ...], pin: Pin) -> dict[str, str]:
    """How many rows fail each rule that keeps its rows."""
    return {f"w{i}": f"count_if(NOT coalesce(({pin(check.sql)}), false))" for i, check in enumerate(checks)}


def points_needed(plan: Plan, rows_known: bool) -> frozenset[str]:
    """Where rows must be counted for the run's accounts to be complete."""
    points = set() if rows_known else {READ}
    points |= {step_point(step) for step in plan.pre.steps if changes_rows(step)}
    points |= {step_point(step) for step in plan.post.steps if changes_rows(step)}
    if plan.pre.warnings or any(changes_rows(step) for step in plan.post.steps):
        points.add(SPLIT)
    if plan.post.warnings:
        points.add(POST)
    return frozenset(points)


def changes_rows(step: StepPlan) -> bool:
    return step.effect is not None or not step.row_wise
