"""One tree of errors: each has a stable code, an exit code, its cure and its place."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from difflib import get_close_matches
from typing import ClassVar


@dataclass(frozen=True, order=True)
class Place:
    """Where in a file something was written; lines and columns count from 1."""

    file: str
    line: int | None = None
    column: int | None = None

    def __str__(self) -> str:
        return ":".join(str(part) for part in (self.file, self.line, self.column) if part is not None)


def nearest(word: str, known: Iterable[str]) -> str | None:
    """The known word that was most likely meant."""
    by_lower = {name.lower(): name for name in known}
    matches = get_close_matches(word.lower(), by_lower, n=1, cutoff=0.6)
    return by_lower[matches[0]] if matches else None


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """A cure for an unknown word: the nearest known one, or the list of them."""
    names = sorted(known)
    if close := nearest(word, names):
        return f"Did you mean '{close}'?"
    if not names:
        return "None is known here."
    listed = ", ".join(names[:12]) + (", …" if len(names) > 12 else "")
    return f"Known: {listed}."


def first_line(error: BaseException | str) -> str:
    """What a library says of its error, in one line; its kind where it says nothing."""
    return (str(error).strip().splitlines() or [type(error).__name__])[0]


class LakeLogicError(Exception):
    """Base of every error that the product raises on purpose."""

    code: ClassVar[str] = "error"
    exit_code: ClassVar[int] = 1
    retry_can_help: ClassVar[bool] = False

    def __init__(self, message: str, *, cure: str | None = None, place: Place | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.cure = cure
        self.place = place

    def __str__(self) -> str:
        where = f"{self.place}: " if self.place else ""
        cure = f" {self.cure}" if self.cure else ""
        return f"{where}{self.message}{cure}"

    def at(self, place: Place | None) -> LakeLogicError:
        """The same error, told with its place if it had none."""
        if self.place is None:
            self.place = place
        return self


class UsageError(LakeLogicError):
    """The command or call was wrong."""

    code = "usage"
    exit_code = 2


class ContractError(LakeLogicError):
    """The contract was wrong."""

    code = "contract"
    exit_code = 2


class ContractInvalid(ContractError):
    """All problems of a contract at once."""

    code = "contract-invalid"

    def __init__(self, problems: Iterable[LakeLogicError]) -> None:
        self.problems = tuple(problems)
        super().__init__("\n".join(str(problem) for problem in self.problems))


class NotSupportedYet(ContractError):
    """The contract uses a known key whose meaning is not built yet."""

    code = "not-supported-yet"

    def __init__(self, what: str, *, place: Place | None = None) -> None:
        super().__init__(f"not supported yet: {what}", place=place)


class SqlError(ContractError):
    """SQL in a contract is malformed, not allowed or names something unknown."""

    code = "sql"


class UnknownColumn(SqlError):
    """A rule, a transformation or SQL names a column that is not there."""

    code = "unknown-column"


class SecretMissing(UsageError):
    """A key that the contract needs is not set, or is too weak to use."""

    code = "secret"


class EngineUnavailable(UsageError):
    """The engine, or something it stands on, is not installed."""

    code = "engine-unavailable"


class SourceError(LakeLogicError):
    """The source can't be read as the contract says."""

    code = "source"


class SourceChanged(SourceError):
    """A file was replaced while it was read; nothing of it stays written."""

    code = "source-changed"
    retry_can_help = True


class ExternalLogicError(LakeLogicError):
    """The contract's own code raised, returned no frame, or took too long."""

    code = "external-logic"


class GateClosed(LakeLogicError):
    """The data said no: a gate or a rule stopped the run before anything was published."""

    code = "gate"


class ApprovalNeeded(LakeLogicError):
    """Somebody must approve the run before its rows are published."""

    code = "approval"
    exit_code = 3


class WriteError(LakeLogicError):
    """A table could not be written."""

    code = "write"


class WriteConflict(WriteError):
    """Another writer changed the table at the same time."""

    code = "write-conflict"
    retry_can_help = True


class StateError(LakeLogicError):
    """The run log or a claim is damaged, foreign or of a newer format."""

    code = "state"


class RunBusy(LakeLogicError):
    """Another process is running this contract."""

    code = "busy"
    retry_can_help = True


class RunStopped(LakeLogicError):
    """A run was stopped from outside: it took too long, or somebody interrupted it."""

    code = "stopped"


class ReconciliationError(LakeLogicError):
    """The counts of a run do not add up."""

    code = "reconciliation"
