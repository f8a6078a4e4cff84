"""Columns that say where a row came from: `lineage`."""

from __future__ import annotations

from typing import Literal

from pydantic import AliasChoices, Field

from lakelogic.models import Model, Name, Names


class Lineage(Model):
    """Which origin columns every row gets."""

    enabled: bool = Field(default=False, description="Whether origin columns are added.")
    capture_source_path: bool = Field(default=True, description="Whether the file or table of origin is kept.")
    capture_timestamp: bool = Field(default=True, description="Whether the time of processing is kept.")
    capture_run_id: bool = Field(default=True, description="Whether the run's id is kept.")
    capture_contract_name: bool = Field(default=True, description="Whether the contract's name and version are kept.")
    capture_domain: bool = Field(default=True, description="Whether the domain is kept.")
    capture_system: bool = Field(default=True, description="Whether the system is kept.")
    capture_created_at: bool = Field(default=True, description="Whether the time of a row's first write is kept.")
    capture_created_by: bool = Field(default=True, description="Whether the user of a row's first write is kept.")
    source_path_column_name: Name = Field(
        default="_lakelogic_source",
        validation_alias=AliasChoices("source_path_column_name", "source_column_name"),
        description="Column of the file or table of origin.",
    )
    timestamp_column_name: Name = Field(
        default="_lakelogic_processed_at", description="Column of the time of processing."
    )
    run_id_column_name: Name = Field(default="_lakelogic_run_id", description="Column of the run's id.")
    contract_name_column_name: Name = Field(
        default="_lakelogic_contract_name", description="Column of the contract's name."
    )
    domain_column_name: Name = Field(default="_lakelogic_domain", description="Column of the domain.")
    system_column_name: Name = Field(default="_lakelogic_system", description="Column of the system.")
    created_at_column_name: Name = Field(
        default="_lakelogic_created_at", description="Column of the first write's time."
    )
    created_by_column_name: Name = Field(
        default="_lakelogic_created_by", description="Column of the first write's user."
    )
    created_by_override: str | None = Field(default=None, description="Name to use in place of the user's.")
    run_id_source: Literal["run_id", "pipeline_run_id"] = Field(
        default="run_id", description="Which id the run column holds."
    )
    preserve_upstream: Names = Field(default=(), description="Origin columns of the source to keep under a new name.")
    upstream_prefix: Name = Field(default="_upstream", description="Prefix of the kept origin columns.")
