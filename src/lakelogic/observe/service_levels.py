"""Promises about a dataset, judged at the end of a run."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Literal

from lakelogic.contract.service_levels import RowCount, ServiceLevels
from lakelogic.contract.values import parse_duration


@dataclass(frozen=True)
class ServiceLevelResult:
    """How a promise about the dataset fared."""

    name: str
    status: Literal["passed", "failed", "unknown"]
    value: float | None
    threshold: float
    message: str


def judge_service_levels(
    levels: ServiceLevels, counts: Mapping[str, int | None], newest_ns: int | None, now: datetime
) -> tuple[ServiceLevelResult, ...]:
    """Every promise that a contract makes; `newest_ns` is the time of the newest input, where it is known."""
    results = []
    limit = freshness_hours(levels)
    if limit is not None:
        results.append(_freshness(limit, newest_ns, now))
    if levels.row_count is not None:
        results.extend(_row_count(levels.row_count, counts))
    return tuple(results)


def freshness_hours(levels: ServiceLevels) -> float | None:
    """Hours up to which the data is fresh, in either spelling."""
    if levels.freshness_hours is not None or levels.freshness is None:
        return levels.freshness_hours
    text = levels.freshness if isinstance(levels.freshness, str) else levels.freshness.threshold
    return parse_duration(text).total_seconds() / 3600


def _freshness(limit: float, newest_ns: int | None, now: datetime) -> ServiceLevelResult:
    if newest_ns is None:
        return ServiceLevelResult("freshness", "unknown", None, limit, "the age of the input is unknown")
    age = max((now - datetime.fromtimestamp(newest_ns / 1e9, UTC)).total_seconds() / 3600, 0.0)
    told = f"newest input is {age:.1f} h old, allowed are {limit:g} h"
    return ServiceLevelResult("freshness", "passed" if age <= limit else "failed", round(age, 4), limit, told)


def _row_count(wanted: RowCount, counts: Mapping[str, int | None]) -> list[ServiceLevelResult]:
    value = counts.get(wanted.check_field)
    bounds = [("row_count_min", wanted.min_rows, "at least"), ("row_count_max", wanted.max_rows, "at most")]
    results = []
    for name, bound, word in bounds:
        if bound is None:
            continue
        if value is None:
            results.append(ServiceLevelResult(name, "unknown", None, bound, "the number of rows is unknown"))
            continue
        kept = value >= bound if name == "row_count_min" else value <= bound
        told = f"{value} rows, promised are {word} {bound}"
        results.append(ServiceLevelResult(name, "passed" if kept else "failed", value, bound, told))
    return results
