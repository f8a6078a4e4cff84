"""Receipts: what became of an export, as it is returned, shown and kept."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Literal
from uuid import uuid4

from lakelogic.exports.base import ExportPlan, Sent
from lakelogic.state.exportlog import ExportLog

ExportStatus = Literal["succeeded", "unchanged", "failed", "not_configured", "planned"]


@dataclass(frozen=True)
class Receipt:
    """How one export fared. `target` names system and table; `reason` says why nothing was sent, or what went wrong."""

    contract: str
    kind: str
    target: str
    status: ExportStatus
    reason: str = ""
    table_version: int | None = None
    sent: Sent = field(default_factory=Sent)
    attempts: int = 0
    started: datetime | None = None
    ended: datetime | None = None
    export_id: str | None = None
    run_id: str | None = None

    @property
    def failed(self) -> bool:
        return self.status == "failed"

    @property
    def seconds(self) -> float:
        return (self.ended - self.started).total_seconds() if self.started and self.ended else 0.0

    def to_dict(self) -> dict[str, object]:
        """The receipt as plain data, for `--json`."""
        return {
            "export_id": self.export_id,
            "run_id": self.run_id,
            "contract": self.contract,
            "to": self.kind,
            "target": self.target,
            "status": self.status,
            "reason": self.reason,
            "table_version": self.table_version,
            **asdict(self.sent),
            "statements": list(self.sent.statements),
            "attempts": self.attempts,
            "duration_seconds": round(self.seconds, 3),
        }


def keep(receipt: Receipt, plan: ExportPlan, state: Path) -> None:
    """Write a receipt into the log.

    Raises:
        StateError: the log can't be written.
    """
    ExportLog(state).append(
        {
            "export_id": receipt.export_id,
            "run_id": receipt.run_id,
            "contract": receipt.contract,
            "kind": receipt.kind,
            "target": receipt.target,
            "status": receipt.status,
            "error": receipt.reason or None,
            "table_location": plan.table,
            "table_version": plan.version,
            "fingerprint": plan.fingerprint,
            **asdict(receipt.sent),
            "attempts": receipt.attempts,
            "started_at": receipt.started,
            "ended_at": receipt.ended,
        }
    )


def sent_before(plan: ExportPlan, state: Path) -> Mapping[str, Any] | None:
    """The receipt of the very same rows, if they are what was sent there last."""
    last = ExportLog(state).last(target=plan.place, status="succeeded")
    return last if last is not None and last["fingerprint"] == plan.fingerprint else None


def new_export_id(now: datetime | None = None) -> str:
    """An id that sorts by time."""
    return f"{(now or datetime.now(UTC)):%Y%m%dT%H%M%S}-{uuid4().hex[:8]}"
