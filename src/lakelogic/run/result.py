"""What happened in a run: one object for the API, the log, the screen and `--json`."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

from lakelogic.engines.base import Committed
from lakelogic.errors import ReconciliationError
from lakelogic.observe.service_levels import ServiceLevelResult
from lakelogic.plan.model import Plan
from lakelogic.run.looking import SafeRows
from lakelogic.state.claims import Claim

if TYPE_CHECKING:
    from lakelogic.contract import LoadedContract
    from lakelogic.exports.receipts import Receipt

FORMAT = 1
# What is kept of a result just as it is.
_KEPT = ("run_id pipeline_run_id attempt sequence contract layer engine status reason mode timings error").split()

Status = Literal["succeeded", "failed", "no_new_data", "planned", "skipped", "blocked", "awaiting_approval"]


@dataclass(frozen=True)
class Counts:
    """Rows of a run. One that is not known is None, never zero."""

    source: int | None = None
    expanded: int | None = None
    good: int | None = None
    quarantined: int | None = None
    filtered: int | None = None
    deduplicated: int | None = None
    good_at_split: int | None = None
    quarantined_at_split: int | None = None

    def reconcile(self) -> None:
        """Promise 1: every row that was read is good, quarantined, filtered or deduplicated.

        Raises:
            ReconciliationError: the counts do not add up.
        """
        sides = (
            (self.source, self.expanded),
            (
                self.good_at_split,
                self.quarantined_at_split,
                self.filtered,
                self.deduplicated,
            ),
        )
        if any(count is None for side in sides for count in side):
            return
        before, after = (sum(count or 0 for count in side) for side in sides)
        if before != after:
            raise ReconciliationError(
                f"{before} rows came in and {after} are accounted for "
                f"(good {self.good_at_split}, quarantined {self.quarantined_at_split}, "
                f"filtered {self.filtered}, deduplicated {self.deduplicated}).",
                cure="The input may have changed while it was read; run again.",
            )

    @property
    def ratio(self) -> float | None:
        """Share of quarantined rows among those judged."""
        if self.good_at_split is None or self.quarantined is None:
            return None
        judged = self.good_at_split + (self.quarantined_at_split or 0)
        return self.quarantined / judged if judged else 0.0


@dataclass(frozen=True)
class RuleResult:
    """How a row rule fared. `failed` is the number of rows; None is unknown."""

    name: str
    status: Literal["passed", "failed", "error"]
    failed: int | None
    category: str
    severity: str
    stage: str
    message: str
    sample: Mapping[str, object] | None = None


@dataclass(frozen=True)
class DatasetRuleResult:
    """How a dataset rule fared."""

    name: str
    status: Literal["passed", "failed", "error"]
    value: float | None
    severity: str
    category: str
    message: str


@dataclass(frozen=True)
class StepCount:
    """Rows into and out of a step that may change their number."""

    name: str
    rows_in: int | None
    rows_out: int | None


@dataclass(frozen=True)
class RunResult:
    """A run: who, what, how many, how long, and where the rows are."""

    run_id: str
    pipeline_run_id: str
    contract: str
    layer: str | None
    engine: str
    status: Status
    reason: str
    mode: str
    started: datetime
    ended: datetime
    fingerprint: str
    location: str
    counts: Counts = field(default_factory=Counts)
    rules: tuple[RuleResult, ...] = ()
    dataset_rules: tuple[DatasetRuleResult, ...] = ()
    service_levels: tuple[ServiceLevelResult, ...] = ()
    steps: tuple[StepCount, ...] = ()
    target: Committed | None = None
    quarantine: Committed | None = None
    secondary: tuple[Committed, ...] = ()
    timings: Mapping[str, float] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    error: str | None = None
    attempt: int = 1
    sequence: int | None = None
    max_ratio: float | None = None
    exports: tuple[Receipt, ...] = ()
    frames: tuple[Any, Any] | None = field(default=None, repr=False, compare=False)
    handed: Callable[[Any], Any] | None = field(default=None, repr=False, compare=False)
    look: Callable[[int], SafeRows] | None = field(default=None, repr=False, compare=False)

    @cached_property
    def good(self) -> Any:
        """The good rows as they were written: masked and stamped, as a frame of the engine's own kind."""
        return self.handed(self.frames[0]) if self.frames and self.handed else None

    @cached_property
    def bad(self) -> Any:
        """The quarantined rows as they were read, with their reasons."""
        return self.handed(self.frames[1]) if self.frames and self.handed else None

    def preview(self, limit: int = 10) -> SafeRows:
        """The first good and bad rows, with private values hidden: safe to print or send."""
        return self.look(limit) if self.look else SafeRows()

    def __iter__(self) -> Iterator[Any]:
        return iter((self.good, self.bad))

    @property
    def tables(self) -> tuple[Committed, ...]:
        """What was written, in that order: quarantine, secondary targets, target."""
        return tuple(table for table in (self.quarantine, *self.secondary, self.target) if table is not None)

    @property
    def source_count(self) -> int | None:
        return self.counts.source

    @property
    def good_count(self) -> int | None:
        return self.counts.good

    @property
    def bad_count(self) -> int | None:
        return self.counts.quarantined

    @property
    def quarantine_ratio(self) -> float | None:
        return self.counts.ratio

    @property
    def quality_score(self) -> float | None:
        """Share of judged rows that are good, from 0 to 100."""
        ratio = self.counts.ratio
        return None if ratio is None else round(100 * (1 - ratio), 2)

    @property
    def dataset_rules_failed(self) -> bool:
        """Whether a dataset rule of severity error failed: downstream contracts must not run."""
        return any(rule.status != "passed" and rule.severity == "error" for rule in self.dataset_rules)

    @property
    def blocking(self) -> tuple[str, ...]:
        """Why downstream contracts must not run, though this one wrote its rows."""
        failed = [rule.name for rule in self.dataset_rules if rule.status != "passed" and rule.severity == "error"]
        reasons = [f"dataset rules failed ({', '.join(failed)})"] if failed else []
        ratio = self.counts.ratio or 0.0
        if self.max_ratio is not None and ratio > self.max_ratio:
            reasons.append(f"{ratio:.1%} quarantined, and quarantine.max_ratio is {self.max_ratio:.1%}")
        return tuple(reasons)

    @property
    def blocks_downstream(self) -> bool:
        return self.status in ("failed", "awaiting_approval") or bool(self.blocking)

    @property
    def export_failures(self) -> tuple[str, ...]:
        """What could not be sent elsewhere; the tables are written, so that nothing downstream is blocked by it."""
        return tuple(f"the export to {each.target} failed: {each.reason}" for each in self.exports if each.failed)

    @property
    def exit_code(self) -> int:
        return 1 if self.blocks_downstream or self.export_failures else 0

    def to_dict(self) -> dict[str, object]:
        """The result as plain data, for `--json` and the run log."""
        return {
            "format": FORMAT,
            "run_id": self.run_id,
            "pipeline_run_id": self.pipeline_run_id,
            "attempt": self.attempt,
            "sequence": self.sequence,
            "contract": self.contract,
            "layer": self.layer,
            "engine": self.engine,
            "status": self.status,
            "reason": self.reason,
            "mode": self.mode,
            "source": self.location,
            "plan": self.fingerprint,
            "started": self.started.isoformat(),
            "ended": self.ended.isoformat(),
            "duration_seconds": round((self.ended - self.started).total_seconds(), 3),
            "counts": asdict(self.counts),
            "quarantine_ratio": self.quarantine_ratio,
            "quality_score": self.quality_score,
            "rules": [asdict(rule) for rule in self.rules],
            "dataset_rules": [asdict(rule) for rule in self.dataset_rules],
            "service_levels": [asdict(level) for level in self.service_levels],
            "steps": [asdict(step) for step in self.steps],
            "target": asdict(self.target) if self.target else None,
            "quarantine": asdict(self.quarantine) if self.quarantine else None,
            "secondary": [asdict(table) for table in self.secondary],
            "exports": [receipt.to_dict() for receipt in self.exports],
            "timings": {name: round(seconds, 3) for name, seconds in self.timings.items()},
            "notes": list(self.notes),
            "error": self.error,
            "exit_code": self.exit_code,
        }


def result_of(plan: Plan, claim: Claim, status: Status, ended: datetime) -> RunResult:
    """A run as far as its plan and its claim tell."""
    return RunResult(
        run_id=claim.run_id,
        pipeline_run_id=claim.pipeline_run_id,
        contract=plan.contract,
        layer=plan.layer,
        engine=plan.engine,
        status=status,
        reason=plan.read.reason,
        mode=plan.read.mode,
        started=claim.started,
        ended=ended,
        fingerprint=plan.fingerprint,
        location=plan.read.location,
        notes=plan.notes,
        attempt=claim.attempt,
        sequence=claim.sequence,
        max_ratio=plan.max_quarantine_ratio,
    )


def result_of_claim(contract: LoadedContract, claim: Claim, engine: str) -> RunResult:
    """A change of the tables that has succeeded, as far as its claim tells."""
    return RunResult(
        run_id=claim.run_id,
        pipeline_run_id=claim.pipeline_run_id,
        contract=contract.name,
        layer=contract.layer,
        engine=engine,
        status="succeeded",
        reason=claim.reason,
        mode=claim.mode,
        started=claim.started,
        ended=datetime.now(UTC),
        fingerprint=claim.fingerprint,
        location=claim.input.location,
        attempt=claim.attempt,
        sequence=claim.sequence,
    )


def result_from(report: Mapping[str, Any]) -> RunResult:
    """A result as it was kept by `to_dict`; the rows are where it tells."""
    target, quarantine = report.get("target"), report.get("quarantine")
    return RunResult(
        **{name: report[name] for name in _KEPT},
        started=datetime.fromisoformat(report["started"]),
        ended=datetime.fromisoformat(report["ended"]),
        fingerprint=report["plan"],
        location=report["source"],
        counts=Counts(**report["counts"]),
        rules=tuple(RuleResult(**rule) for rule in report["rules"]),
        dataset_rules=tuple(DatasetRuleResult(**rule) for rule in report["dataset_rules"]),
        service_levels=tuple(ServiceLevelResult(**level) for level in report["service_levels"]),
        steps=tuple(StepCount(**step) for step in report["steps"]),
        target=Committed(**target) if target else None,
        quarantine=Committed(**quarantine) if quarantine else None,
        secondary=tuple(Committed(**table) for table in report["secondary"]),
        notes=tuple(report["notes"]),
    )
