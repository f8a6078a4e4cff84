"""Approval before publishing: when it is asked for, and the file that grants it."""

from __future__ import annotations

import getpass
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from lakelogic.contract import LoadedContract
from lakelogic.errors import ApprovalNeeded, StateError, UsageError
from lakelogic.plan.model import Plan
from lakelogic.state import files
from lakelogic.state.claims import Claim, Claims

FOLDER = "approvals"
# Where the contract names no share of its own.
DEFAULT_RATIO = 0.05

_COLUMNS = "columns.json"
_GRANTED = "granted.json"
_KIND = "lakelogic-approvals"


@dataclass(frozen=True)
class ApprovalAsk:
    """Whether approval is required, whatever the contract says, and the file that grants it."""

    required: bool = False
    file: Path | None = None


@dataclass(frozen=True)
class Pending:
    """A run that waits, told well enough to be approved: it, its plan and its input are what an approval is for."""

    run_id: str
    fingerprint: str
    input: str
    contract: str
    reasons: tuple[str, ...]
    file: str


@dataclass(frozen=True)
class ApprovalGate:
    """Asks before anything is published, where columns drift or too many rows are bad."""

    file: Path
    folder: Path
    columns: Path
    max_ratio: float
    on_drift: bool

    def drift(self, plan: Plan) -> Iterator[str]:
        """How the columns of the source differ from those of the last run that succeeded."""
        if plan.read.kind == "quarantine":
            return
        data = files.get(self.columns)
        if data is None:
            return
        before, now = dict(data["columns"]), dict(plan.read.columns)
        yield from (f"column '{name}' is new" for name in now if name not in before)
        yield from (f"column '{name}' is gone" for name in before if name not in now)
        yield from (
            f"column '{name}' was {before[name]} and is {kind}"
            for name, kind in now.items()
            if before.get(name, kind) != kind
        )

    def ask(self, plan: Plan, claim: Claim, ratio: Callable[[], float]) -> None:
        """
        Raises:
            ApprovalNeeded: there is a reason to ask, and nobody has approved this run on this input.
        """
        reasons = [f"schema drift: {each}" for each in self.drift(plan)] if self.on_drift else []
        if (share := ratio()) > self.max_ratio:
            reasons.append(f"{share:.1%} of the rows are bad, more than {self.max_ratio:.1%}")
        if not reasons:
            return
        pending = Pending(
            claim.run_id, plan.fingerprint, claim.input.digest, plan.contract, tuple(reasons), str(self.file)
        )
        refused = _refused(self.file, pending)
        if refused is None:
            (self.folder / f"{claim.run_id}.json").unlink(missing_ok=True)
            return
        files.put(self.folder / f"{claim.run_id}.json", asdict(pending))
        raise ApprovalNeeded(
            f"run {claim.run_id} of '{plan.contract}' needs approval: {'; '.join(reasons)}.{refused}",
            cure=f"Nothing was written. Approve it with `lakelogic approve {claim.run_id} --reason …` and run again.",
        )


def remember_columns(claims: Claims, plan: Plan) -> None:
    """Keep the columns of a source that was read, for the next run to be compared with."""
    files.put(claims.folder / _COLUMNS, {"columns": plan.read.columns})


def gate_of(loaded: LoadedContract, claims: Claims, asked: ApprovalAsk) -> ApprovalGate | None:
    """The gate of a contract; None where nobody asks for approval."""
    said = loaded.model.metadata
    if not asked.required and not said.approval_required:
        return None
    folder = loaded.project.state_dir / FOLDER
    own = loaded.directory / said.approval_file if said.approval_file else folder / _GRANTED
    ratios = (said.approval_quarantine_ratio_threshold, loaded.model.quarantine.max_ratio, DEFAULT_RATIO)
    declared = "approval_schema_drift" in said.model_fields_set
    return ApprovalGate(
        (asked.file or own).absolute(),
        folder,
        claims.folder / _COLUMNS,
        next(ratio for ratio in ratios if ratio is not None),
        said.approval_schema_drift if declared else asked.required,
    )


def find_pending(run_id: str, folder: Path) -> Pending:
    """A run that waits for approval, by its id.

    Raises:
        UsageError: no run of this id waits there.
    """
    data = files.get(folder / FOLDER / f"{run_id}.json")
    if data is None:
        raise UsageError(f"no run {run_id} waits for approval in {folder}.", cure="Check the id in `lakelogic runs`.")
    known = {name: data[name] for name in ("run_id", "fingerprint", "input", "contract", "file")}
    return Pending(**known, reasons=tuple(data["reasons"]))


def approve(pending: Pending, *, why: str, file: Path | None = None, by: str | None = None) -> Path:
    """Write the approval of a run, beside those that are in the file; the file.

    Raises:
        StateError: the file is something else, or can't be written.
    """
    path = file or Path(pending.file)
    data = files.get(path) if path.exists() and path.stat().st_size else None
    if data is not None and data.get("kind") != _KIND:
        raise StateError(f"{path} is no file of approvals.", cure="Name another with --file.")
    others = [each for each in (data or {}).get("approvals", []) if each.get("run_id") != pending.run_id]
    said = {"by": by or getpass.getuser(), "at": datetime.now(UTC).isoformat(), "why": why}
    files.put(path, {"kind": _KIND, "approvals": [*others, {**asdict(pending), **said}]})
    return path


def _refused(file: Path, pending: Pending) -> str | None:
    """Why a file does not approve a run; None if it does."""
    if not file.exists():
        return ""
    if not file.stat().st_size:
        return f" {file} is empty, and an approval names the run."
    try:
        data = files.get(file) or {}
    except StateError:
        data = {}
    approvals = data.get("approvals") if data.get("kind") == _KIND else None
    if not isinstance(approvals, list):
        return f" {file} is no file of approvals."
    own: dict[str, Any] | None = next((each for each in approvals if each.get("run_id") == pending.run_id), None)
    if own is None:
        return f" {file} approves other runs."
    if (own.get("fingerprint"), own.get("input")) != (pending.fingerprint, pending.input):
        return f" {file} approves this run with another plan or input."
    return None
