"""What a run of the driver came to: an outcome for each contract and window, and one exit code."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal

from lakelogic.run.result import RunResult

FORMAT = 1

OutcomeStatus = Literal[
    "succeeded",
    "no_new_data",
    "done_before",
    "planned",
    "passed_over",
    "skipped",
    "blocked",
    "failed",
    "awaiting_approval",
    "interrupted",
]
# How a contract ends that has done, or need not do, what was asked for.
_FINE = ("succeeded", "no_new_data", "done_before", "planned", "passed_over")


@dataclass(frozen=True)
class Outcome:
    """How a contract fared. `blocks` says why what is downstream of it must not run; nothing where it may."""

    contract: str
    layer: str | None
    entity: str
    status: OutcomeStatus
    reason: str
    window: str = "last_success"
    seconds: float = 0.0
    attempts: int = 1
    exit_code: int = 0
    blocks: str | None = None
    warnings: tuple[str, ...] = ()
    blocked_by: str | None = None
    started: datetime | None = None
    result: RunResult | None = None

    @property
    def fine(self) -> bool:
        return self.status in _FINE

    def to_dict(self) -> dict[str, object]:
        result = self.result
        return {
            "contract": self.contract,
            "layer": self.layer,
            "entity": self.entity,
            "window": self.window,
            "status": self.status,
            "reason": self.reason,
            "blocks": self.blocks,
            "blocked_by": self.blocked_by,
            "warnings": list(self.warnings),
            "run_id": result.run_id if result else None,
            "mode": result.mode if result else None,
            "counts_source": result.counts.source if result else None,
            "counts_good": result.counts.good if result else None,
            "counts_quarantined": result.counts.quarantined if result else None,
            "attempts": self.attempts,
            "duration_seconds": round(self.seconds, 3),
            "exit_code": self.exit_code,
        }


@dataclass(frozen=True)
class Summary:
    """All outcomes of one run of the driver."""

    pipeline_run_id: str
    started: datetime
    ended: datetime
    engine: str | None
    outcomes: tuple[Outcome, ...]
    notes: tuple[str, ...] = ()
    references: Mapping[str, int] = field(default_factory=dict)
    interrupted: bool = False
    not_recorded: tuple[str, ...] = ()

    @property
    def counts(self) -> Mapping[str, int]:
        """How many contracts ended in each way."""
        return Counter(outcome.status for outcome in self.outcomes)

    @property
    def exit_code(self) -> int:
        """130 interrupted; 3 only approvals are missing; 2 only contracts are wrong; 1 anything else that failed.

        A run whose observers could not write is one of those: not all that was asked for was done.
        """
        if self.interrupted:
            return 130
        codes = {outcome.exit_code for outcome in self.outcomes} - {0}
        # What is blocked says the same as what blocks it.
        causes = {o.exit_code for o in self.outcomes if o.status != "blocked"} - {0}
        return next(iter(causes)) if len(causes) == 1 else 1 if codes or self.not_recorded else 0

    def to_dict(self) -> dict[str, object]:
        """The summary as plain data, for `--json`."""
        return {
            "format": FORMAT,
            "pipeline_run_id": self.pipeline_run_id,
            "started": self.started.isoformat(),
            "ended": self.ended.isoformat(),
            "duration_seconds": round((self.ended - self.started).total_seconds(), 3),
            "engine": self.engine,
            "counts": dict(self.counts),
            "notes": list(self.notes),
            "not_recorded": list(self.not_recorded),
            "references": dict(self.references),
            "runs": [outcome.to_dict() for outcome in self.outcomes],
            "exit_code": self.exit_code,
        }
