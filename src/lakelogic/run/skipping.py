"""A run that was asked for and never began: kept in the run log with the reason."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Literal

from lakelogic.contract import LoadedContract
from lakelogic.run.begin import new_run_id
from lakelogic.run.result import RunResult
from lakelogic.run.tell import log_row
from lakelogic.state.claims import Pinned
from lakelogic.state.runlog import RunLog


def record_skipped(
    loaded: LoadedContract, status: Literal["skipped", "blocked"], reason: str, pipeline_run_id: str
) -> RunResult:
    """Log that a contract did not run, and why.

    Raises:
        StateError: the log can't be written.
    """
    now = datetime.now(UTC)
    result = RunResult(
        run_id=new_run_id(now),
        pipeline_run_id=pipeline_run_id,
        contract=loaded.name,
        layer=loaded.layer,
        engine="",
        status=status,
        reason=reason,
        mode="",
        started=now,
        ended=now,
        fingerprint="",
        location="",
    )
    RunLog(loaded.project.state_dir).append(log_row(loaded, result, Pinned("", "none")))
    return result
