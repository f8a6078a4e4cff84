"""What a run leaves behind: its result, its row in the log, the end of its claim."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from typing import Any

from loguru import logger

from lakelogic.engines.base import Engine
from lakelogic.errors import ApprovalNeeded, LakeLogicError
from lakelogic.observe.service_levels import ServiceLevelResult, judge_service_levels
from lakelogic.run.again import AgainInput
from lakelogic.run.begin import Beginning, Prepared, new_run_id
from lakelogic.run.execute import Outcome
from lakelogic.run.inputs import Input
from lakelogic.run.looking import safe_rows
from lakelogic.run.result import Counts, RunResult, Status, result_of
from lakelogic.run.tell import log_row, tell
from lakelogic.state.claims import Claim
from lakelogic.state.runlog import RunLog


def succeeded(prepared: Prepared, claim: Claim, outcome: Outcome, engine: Engine[Any]) -> RunResult:
    """The result of a run that has written all its rows."""
    ended = datetime.now(UTC)
    counts = outcome.counts
    return replace(
        result_of(prepared.plan, claim, "succeeded", ended),
        counts=counts,
        rules=outcome.rules,
        dataset_rules=outcome.audited.rules,
        service_levels=_service_levels(prepared.beginning, prepared.found, counts, ended),
        steps=outcome.steps,
        target=outcome.target,
        quarantine=outcome.quarantine,
        secondary=outcome.secondary,
        timings=outcome.timings,
        frames=outcome.frames,
        handed=engine.handed,
        look=partial(safe_rows, prepared.plan, engine, outcome.frames),
    )


def record(beginning: Beginning, claim: Claim, result: RunResult) -> RunResult:
    """The log first, the claim last: a run that was logged is found finished by whoever takes it over."""
    row = log_row(beginning.loaded, result, claim.input, beginning.ask.window)
    RunLog(beginning.loaded.project.state_dir).append(row, app_id=beginning.identity, sequence=claim.sequence)
    beginning.claims.finish(claim, "succeeded")
    tell(result)
    return result


def record_failure(prepared: Prepared, claim: Claim, error: BaseException, *, began_to_write: bool) -> None:
    """Close the claim if no write was begun; else a commit may be there or yet come, and the next run looks.

    One that waits for approval keeps its claim, so that the next run asks about the same input.
    """
    waits = isinstance(error, ApprovalNeeded)
    if not began_to_write and not waits:
        prepared.beginning.claims.finish(claim, "failed")
    message = str(error) if isinstance(error, LakeLogicError) else type(error).__name__
    status: Status = "awaiting_approval" if waits else "failed"
    result = replace(result_of(prepared.plan, claim, status, datetime.now(UTC)), error=message)
    try:
        _log(prepared.beginning, result, prepared.found)
    except LakeLogicError as second:
        logger.error("The failed run could not be logged either: {}", second)


def record_nothing_new(beginning: Beginning, found: Input, reason: str, engine: str) -> RunResult:
    """The result of a run that had nothing to do.

    Raises:
        SourceError: the contract calls that a failure.
    """
    beginning.refuse_empty(found)
    now = datetime.now(UTC)
    run_id = new_run_id(now)
    result = RunResult(
        run_id=run_id,
        pipeline_run_id=beginning.ask.pipeline_run_id or run_id,
        contract=beginning.loaded.name,
        layer=beginning.loaded.layer,
        engine=engine,
        status="no_new_data",
        reason=reason,
        mode=found.read.mode,
        started=now,
        ended=now,
        fingerprint="",
        location=found.read.location,
        counts=Counts(0, 0, 0, 0, 0, 0, 0, 0),
        # Rows that did not come tell nothing of how many there should be; their absence tells of freshness.
        service_levels=tuple(
            level for level in _service_levels(beginning, found, Counts(), now) if level.status != "unknown"
        ),
    )
    _log(beginning, result, found)
    tell(result)
    return result


def _service_levels(
    beginning: Beginning, found: Input, counts: Counts, now: datetime
) -> tuple[ServiceLevelResult, ...]:
    if isinstance(found, AgainInput):
        return ()
    told = {
        "counts_source": counts.source,
        "counts_total": counts.source,
        "counts_good": counts.good,
        "counts_quarantined": counts.quarantined,
    }
    return judge_service_levels(beginning.loaded.model.service_levels, told, found.newest_ns, now)


def _log(beginning: Beginning, result: RunResult, found: Input) -> None:
    row = log_row(beginning.loaded, result, found.pinned, beginning.ask.window)
    RunLog(beginning.loaded.project.state_dir).append(row)
