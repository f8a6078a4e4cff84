"""A summary as the rows that observers keep: one for the pipeline, one for each contract and window."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import fields
from datetime import datetime, timedelta

from lakelogic.driver.summary import Outcome, Summary
from lakelogic.observe.rows import COLUMNS, FORMAT, Row, Value
from lakelogic.run.result import Counts

_COUNTS = ("source", "expanded", "good", "quarantined", "filtered", "deduplicated")
_STATUSES = {0: "succeeded", 3: "awaiting_approval", 130: "interrupted"}


def rows_of(summary: Summary) -> list[Row]:
    """The row of the pipeline, then those of its contracts."""
    counts = _sum([outcome.result.counts for outcome in summary.outcomes if outcome.result is not None])
    pipeline = _row(
        kind="pipeline",
        pipeline_run_id=summary.pipeline_run_id,
        engine=summary.engine,
        window=_span([outcome.window for outcome in summary.outcomes]),
        status=_STATUSES.get(summary.exit_code, "failed"),
        reason=_reason(summary),
        exit_code=summary.exit_code,
        contracts=len(summary.outcomes),
        started_at=summary.started,
        ended_at=summary.ended,
        duration_seconds=round((summary.ended - summary.started).total_seconds(), 3),
        **_counted(counts),
    )
    return [pipeline, *(contract_row(outcome, summary.pipeline_run_id, summary.ended) for outcome in summary.outcomes)]


def refusal(pipeline_run_id: str, engine: str | None, times: tuple[datetime, datetime], why: str, code: int) -> Row:
    """The row of a pipeline that ended before any of its contracts began."""
    started, ended = times
    return _row(
        kind="pipeline",
        pipeline_run_id=pipeline_run_id,
        engine=engine,
        status=_STATUSES.get(code, "failed"),
        reason=why,
        exit_code=code,
        contracts=0,
        started_at=started,
        ended_at=ended,
        duration_seconds=round((ended - started).total_seconds(), 3),
    )


def contract_row(outcome: Outcome, pipeline_run_id: str | None, now: datetime) -> Row:
    """The row of a contract."""
    result = outcome.result
    ended = outcome.started + timedelta(seconds=outcome.seconds) if outcome.started else now
    return _row(
        kind="contract",
        pipeline_run_id=pipeline_run_id,
        run_id=result.run_id if result else None,
        contract=outcome.contract,
        layer=outcome.layer,
        entity=outcome.entity,
        engine=result.engine if result else None,
        window=outcome.window,
        mode=result.mode if result else None,
        status=outcome.status,
        reason=outcome.reason,
        blocked_by=outcome.blocked_by,
        exit_code=outcome.exit_code,
        attempts=outcome.attempts,
        started_at=outcome.started,
        ended_at=ended,
        duration_seconds=round(outcome.seconds, 3),
        timings=json.dumps({name: round(took, 3) for name, took in result.timings.items()}) if result else None,
        **(_counted(result.counts) if result else {}),
    )


def _row(**values: Value) -> Row:
    return dict.fromkeys((column.name for column in COLUMNS), None) | values | {"format": FORMAT}


def _counted(counts: Counts) -> dict[str, Value]:
    ratio = counts.ratio
    numbers: dict[str, Value] = {f"counts_{name}": getattr(counts, name) for name in _COUNTS}
    return numbers | {"quarantine_ratio": None if ratio is None else round(ratio, 6)}


def _sum(counts: Sequence[Counts]) -> Counts:
    """The sums of those that came to an end; a number is unknown where one of them does not know it."""
    return Counts(**{each.name: _total([getattr(count, each.name) for count in counts]) for each in fields(Counts)})


def _total(numbers: Sequence[int | None]) -> int | None:
    known = [number for number in numbers if number is not None]
    return sum(known) if numbers and len(known) == len(numbers) else None


def _span(windows: Sequence[str]) -> str | None:
    """The window of all, or the days from the first to the last."""
    if not windows:
        return None
    first, last = windows[0], windows[-1]
    return first if first == last else f"{first.split(' to ')[0]} to {last.split(' to ')[-1]}"


def _reason(summary: Summary) -> str:
    """How many contracts ended in which way, and the first that went wrong."""
    told = ", ".join(f"{count} {status}" for status, count in summary.counts.items()) or "no contract ran"
    wrong = next((outcome for outcome in summary.outcomes if outcome.exit_code), None)
    return f"{told}; '{wrong.contract}': {wrong.reason}" if wrong else told
