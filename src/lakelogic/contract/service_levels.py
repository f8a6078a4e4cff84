"""Promises about the dataset: `service_levels` and `upstream_freshness`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from pydantic import Field

from lakelogic.contract.values import Duration
from lakelogic.models import Model, Name


class Freshness(Model):
    """How old the newest data may be."""

    threshold: Duration = Field(description="Age up to which the data is fresh, such as 24h.")
    field: Name | None = Field(
        default=None, description="Timestamp column whose newest value is judged; the run when absent."
    )
    source_field: Name | None = Field(default=None, description="Timestamp column of the source.")
    source_threshold: Duration | None = Field(default=None, description="Age up to which the source is fresh.")
    description: str | None = Field(default=None, description="Why this promise is made.")


class Share(Model):
    """A share of rows, in percent, that must hold a value."""

    threshold: float = Field(ge=0, le=100, description="Lowest share, in percent.")
    field: Name | None = Field(default=None, description="Column that must be filled.")
    description: str | None = Field(default=None, description="Why this promise is made.")


class Anomaly(Model):
    """How far a run's row count may be from what is usual."""

    enabled: bool = Field(default=True, description="Whether counts are compared with earlier runs.")
    lookback_runs: int = Field(default=14, ge=1, description="Earlier runs to compare with.")
    min_ratio: float = Field(default=0.5, ge=0, description="Lowest share of the usual count.")
    max_ratio: float = Field(default=2.0, ge=0, description="Highest share of the usual count.")
    method: Literal["median", "rolling_average", "seasonal_median"] = Field(
        default="median", description="What is usual."
    )
    min_runs_before_enforcement: int = Field(default=5, ge=0, description="Runs needed before counts are judged.")
    critical_ratio: float | None = Field(default=None, ge=0, description="Share below which the breach is critical.")


class RowCount(Model):
    """How many rows a run must bring."""

    min_rows: int | None = Field(default=None, ge=0, description="Fewest rows.")
    max_rows: int | None = Field(default=None, ge=0, description="Most rows.")
    check_field: Literal["counts_source", "counts_total", "counts_good", "counts_quarantined"] = Field(
        default="counts_good", description="Which count is judged."
    )
    skip_reprocess_days: int = Field(default=3, ge=0, description="Days back for which reprocessing is not judged.")
    anomaly: Anomaly | None = Field(default=None, description="How far the count may be from what is usual.")


class ServiceLevels(Model):
    """Promises about freshness, completeness and size."""

    freshness_hours: float | None = Field(default=None, gt=0, description="Hours up to which the data is fresh.")
    freshness: Duration | Freshness | None = Field(
        default=None, description="Age up to which the data is fresh, such as 24h."
    )
    availability: float | Share | None = Field(default=None, description="Lowest share of filled values, in percent.")
    completeness: float | Share | None = Field(default=None, description="Lowest share of complete rows, in percent.")
    row_count: RowCount | None = Field(default=None, description="How many rows a run must bring.")
    anomaly: Anomaly | None = Field(default=None, description="How far the row count may be from what is usual.")
    schedule: str | Mapping[str, object] | None = Field(default=None, description="When the data is expected.")


class FreshnessLimit(Model):
    """How old an upstream may be."""

    max_age: Duration | None = Field(default=None, description="Age up to which the upstream is fresh, such as 24h.")
    grace: Duration | None = Field(
        default=None, description="Time beyond max_age in which the run goes on and records it."
    )
