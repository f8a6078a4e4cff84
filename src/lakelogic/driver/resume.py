"""The state file of `--state-path`: what has succeeded, so that `--resume` runs only the rest."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from threading import Lock

from lakelogic.driver.summary import Outcome
from lakelogic.errors import StateError
from lakelogic.state import files

_KIND = "lakelogic-driver"


@dataclass
class Progress:
    """What has succeeded so far. Written whole after each contract, so that a crash loses none of it."""

    path: Path | None = None
    completed: dict[str, str] = field(default_factory=dict)
    _lock: Lock = field(default_factory=Lock)

    def has(self, contract: str, window: str) -> str | None:
        """The run in which a contract succeeded for a window, if it has."""
        return self.completed.get(_key(contract, window))

    def add(self, outcome: Outcome) -> None:
        """Keep a contract of which nothing is left to do."""
        if self.path is None or not outcome.fine or outcome.exit_code or outcome.result is None:
            return
        with self._lock:
            self.completed[_key(outcome.contract, outcome.window)] = outcome.result.run_id
            self._write(self.path, complete=False)

    def end(self, *, complete: bool) -> None:
        """Say that everything is done, so that the next run begins anew; else leave what was kept."""
        if self.path is not None:
            self._write(self.path, complete=complete)

    def _write(self, path: Path, *, complete: bool) -> None:
        files.put(path, {"kind": _KIND, "complete": complete, "completed": self.completed})


def open_progress(path: Path | None, *, resume: bool) -> tuple[Progress, str | None]:
    """The state to go on from, and what is to be said about it.

    Raises:
        StateError: the file is damaged, of a newer release, or no state of the driver.
    """
    if path is None:
        return Progress(), None
    data = files.get(path)
    if data is None:
        return Progress(path), f"{path} does not exist yet, so everything runs" if resume else None
    completed = data.get("completed")
    if data.get("kind") != _KIND or not isinstance(completed, dict):
        raise StateError(f"{path} is not a state file of lakelogic-driver.", cure="Name another with --state-path.")
    if not resume:
        return Progress(path), None
    if data.get("complete"):
        return Progress(path), f"the run in {path} was complete, so everything runs"
    return Progress(path, {str(key): str(run) for key, run in completed.items()}), None


def _key(contract: str, window: str) -> str:
    return f"{contract} | {window}"
