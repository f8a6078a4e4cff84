"""Where good rows go, and how: `materialization`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Literal

from pydantic import Field

from lakelogic.contract.one_of import OneOf
from lakelogic.contract.values import DateText, Property, Ratio, Scalar
from lakelogic.models import Model, Name, Names
from lakelogic.write.base import strategies


def strategy_names() -> list[str]:
    """Every way of writing that a contract may name."""
    return sorted(strategies.names())


TargetFormat = Literal["delta", "iceberg", "parquet", "csv", "json"]


class UnknownMember(Model):
    """The row that stands for a missing dimension member."""

    enabled: bool = Field(default=True, description="Whether the row is kept in the table.")
    surrogate_key_value: str = Field(default="-1", description="Surrogate key of the row.")
    default_values: Mapping[str, Scalar | None] = Field(default={}, description="Values of its other columns.")


class Scd1(Model):
    """Keys of a dimension that keeps only the newest values."""

    surrogate_key: Name | None = Field(default=None, description="Column of the surrogate key.")
    surrogate_key_strategy: Literal["hash", "uuid"] = Field(default="hash", description="How the key is made.")
    unknown_member: UnknownMember | None = Field(default=None, description="The row that stands for a missing member.")


class Scd2(Model):
    """Columns and bounds of a dimension that keeps history."""

    track_columns: Names = Field(default=(), description="Columns whose change makes a new version; all when absent.")
    timestamp_field: Name | None = Field(default=None, description="Column that says when a change happened.")
    effective_from_field: Name = Field(default="effective_from", description="Column of a version's begin.")
    effective_to_field: Name = Field(default="effective_to", description="Column of a version's end.")
    current_flag_field: Name = Field(default="is_current", description="Column that marks the newest version.")
    start_date_default: DateText = Field(default="1900-01-01", description="Begin of a key's first version.")
    end_date_default: DateText = Field(default="9999-12-31", description="End of the open version.")
    surrogate_key: Name = Field(default="_sk", description="Column of the surrogate key.")
    surrogate_key_strategy: Literal["hash", "uuid"] = Field(default="hash", description="How the key is made.")
    version_column: Name = Field(default="_version", description="Column that counts a key's versions.")
    change_reason_column: Name = Field(default="_change_reason", description="Column that says why a version began.")
    unknown_member: UnknownMember | None = Field(default=None, description="The row that stands for a missing member.")


class Deletion(Model):
    """How rows that vanished from the source leave the target."""

    strategy: Literal["snapshot_reconcile"] = Field(
        default="snapshot_reconcile", description="How vanished rows are found."
    )
    max_delete_ratio: Ratio = Field(
        default=0.2, description="Share of rows above which nothing is deleted and the run fails."
    )
    scope: Names = Field(default=(), description="Columns whose values in the batch bound what may be deleted.")


class Compaction(Model):
    """Upkeep of the table's files."""

    auto: bool = Field(default=False, description="Whether small files are joined after a write.")
    vacuum: bool = Field(default=True, description="Whether files that are no longer needed are removed.")
    vacuum_retention_hours: float = Field(default=168, ge=0, description="Hours such files are kept.")


class Fact(Model):
    """What kind of fact table the target is."""

    type: Literal["transaction", "periodic_snapshot", "accumulating_snapshot", "factless", "aggregate"] = Field(
        description="Kind of fact table."
    )
    milestone_dates: Names = Field(default=(), description="Date columns that an accumulating snapshot fills in.")


class SecondaryTarget(Model):
    """A further place that good rows are written to."""

    target_path: Name = Field(description="Path or catalog name.")
    format: TargetFormat = Field(default="delta", description="Format of the table.")
    strategy: Literal["append", "overwrite", "merge"] = Field(default="append", description="How rows are written.")


class Materialization(Model):
    """Where good rows are written, and how."""

    strategy: Annotated[str, OneOf("strategy", strategy_names)] = Field(
        default="append",
        description="append adds; overwrite, replace_partitions and snapshot replace; merge updates by key; scd2 keeps history.",
    )
    primary_key: Names = Field(default=(), description="Key columns, where the top level does not name them.")
    target_path: Name | None = Field(default=None, description="Path or catalog name of the target.")
    format: TargetFormat = Field(default="delta", description="Format of the target.")
    location: Name | None = Field(default=None, description="Storage path of a catalog table.")
    partition_by: Names = Field(default=(), description="Partition columns.")
    cluster_by: Names = Field(default=(), description="Clustering columns.")
    table_properties: Mapping[str, Property] = Field(default={}, description="Properties set on the table.")
    reprocess_policy: Literal["overwrite_partition", "overwrite_partition_safe", "append", "fail"] | None = Field(
        default=None, description="What happens to rows of a window that is processed again."
    )
    reprocess_date_column: Name | None = Field(
        default=None, description="Column by which a window is found in the target."
    )
    replace_where: Name | None = Field(
        default=None, description="Rows that replace_partitions replaces, in place of the batch's partitions."
    )
    scd1: Scd1 | None = Field(default=None, description="Keys of a dimension without history.")
    scd2: Scd2 | None = Field(default=None, description="Columns of a dimension with history.")
    fact: Fact | None = Field(default=None, description="Kind of fact table.")
    soft_delete_column: Name | None = Field(default=None, description="Column that marks deleted rows.")
    soft_delete_value: Scalar | None = Field(default=None, description="Value that means deleted.")
    soft_delete_time_column: Name | None = Field(default=None, description="Column of the time of deletion.")
    soft_delete_reason_column: Name | None = Field(default=None, description="Column of the reason of deletion.")
    deletion: Deletion | None = Field(default=None, description="How rows that vanished from the source are treated.")
    merge_dedup_guard: bool = Field(
        default=False, description="Whether merge keeps the newest of repeated keys, not an error."
    )
    compaction: Compaction | None = Field(default=None, description="Upkeep of the table's files.")
    unknown_member: UnknownMember | None = Field(default=None, description="The row that stands for a missing member.")
    secondary_targets: tuple[SecondaryTarget, ...] = Field(default=(), description="Further places to write to.")
    dlt_destination: str | Mapping[str, object] | None = Field(default=None, description="dlt destination to write to.")


class SoftDeletes(Model):
    """The older spelling of the soft_delete keys of materialization."""

    enabled: bool = Field(default=True, description="Whether deleted rows are marked, not removed.")
    flag_field: Name | None = Field(default=None, description="Column that marks deleted rows.")
    reason_field: Name | None = Field(default=None, description="Column of the reason of deletion.")
    timestamp_field: Name | None = Field(default=None, description="Column of the time of deletion.")
