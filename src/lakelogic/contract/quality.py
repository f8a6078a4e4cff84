"""What rows and datasets must meet, and where bad rows go: `quality` and `quarantine`."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from lakelogic.contract.kinds import AnyDatasetRule, AnyRowRule
from lakelogic.contract.notifications import Notification
from lakelogic.contract.values import Ratio
from lakelogic.models import Model, Name


class Quality(Model):
    """The rules that data must meet."""

    enforce_required: bool = Field(default=True, description="Whether required columns are checked.")
    row_rules: tuple[AnyRowRule, ...] = Field(
        default=(), description="Rules that each row must meet; a row that fails one goes to quarantine."
    )
    dataset_rules: tuple[AnyDatasetRule, ...] = Field(
        default=(), description="Rules that all good rows must meet together."
    )
    fail_pipeline_on_dataset_error: bool = Field(
        default=False, description="Whether a failed dataset rule of severity error stops this write too."
    )


class Quarantine(Model):
    """Where bad rows go, and when they stop the run."""

    enabled: bool = Field(default=True, description="Whether bad rows are kept; false makes any bad row an error.")
    target: Name | None = Field(default=None, description="Path or catalog name; beside the target when absent.")
    table: Name | None = Field(default=None, description="Catalog name, in place of target.")
    location: Name | None = Field(default=None, description="Storage path of the quarantine table.")
    format: Literal["delta", "iceberg", "parquet", "csv", "json"] = Field(
        default="delta", description="Format of the table."
    )
    write_mode: Literal["append", "overwrite"] = Field(default="append", description="Whether older bad rows are kept.")
    include_error_reason: bool = Field(default=True, description="Whether the reasons are stored with the row.")
    fail_on_quarantine: bool = Field(default=False, description="Whether any bad row makes the run fail.")
    max_ratio: Ratio | None = Field(
        default=None, description="Share of bad rows above which downstream contracts are blocked."
    )
    strict_notifications: bool = Field(
        default=True, description="Whether a notification that can't be sent is an error."
    )
    notifications_enabled: bool = Field(default=True, description="Whether notifications are sent.")
    notifications: tuple[Notification, ...] = Field(default=(), description="Who hears of bad rows.")
