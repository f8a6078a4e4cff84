"""Who the contract is: `info`, `metadata`, and the layer its data belongs to."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from pydantic import ConfigDict, Field

from lakelogic.contract.naming import name_parts
from lakelogic.contract.values import Ratio
from lakelogic.models import Model, Name, Names

# In the order in which data flows through them.
LAYERS = {
    "reference": ("ref", "seed", "lookup", "masterdata"),
    "bronze": ("raw", "landing", "ingest"),
    "silver": ("stage", "cleansed", "transform"),
    "gold": ("curated", "refined", "presentation", "consumption"),
}
_LAYER_OF = {word: layer for layer, words in LAYERS.items() for word in (layer, *words)}


def normal_layer(word: str) -> str:
    """A layer by its usual name: `raw` is bronze, `curated` is gold; other words stay as they are."""
    lowered = word.strip().lower()
    return _LAYER_OF.get(lowered, lowered)


def is_layer(word: str) -> bool:
    """Whether the word names a layer."""
    return word.strip().lower() in _LAYER_OF


def layer_in(target: str) -> str | None:
    """The layer that a target lies in: its schema or folder, if that is a layer's name."""
    around = name_parts(target)[-2:-1]
    return normal_layer(around[0]) if around and is_layer(around[0]) else None


class Info(Model):
    """Title, owner and place of the data product."""

    title: str | None = Field(default=None, description="What people call the dataset.")
    version: str = Field(default="1.0.0", description="Version of this contract's content.")
    table_name: Name | None = Field(
        default=None, description="Name of the table; the contract's name when dataset is absent."
    )
    dataset: Name | None = Field(default=None, description="The same as dataset at the top level.")
    description: str | None = Field(default=None, description="What the data is about.")
    owner: str | None = Field(default=None, description="Who answers for the data.")
    contact: str | Mapping[str, str] | None = Field(default=None, description="How to reach the owner.")
    target_layer: Name | None = Field(
        default=None, description="Layer of the target: bronze, silver, gold or reference."
    )
    status: str | None = Field(
        default=None, description="Life cycle of the contract, such as draft, active or retired."
    )
    classification: str | None = Field(default=None, description="Confidentiality of the dataset as a whole.")
    domain: str | None = Field(default=None, description="Business domain that owns the data.")
    system: str | None = Field(default=None, description="System the data comes from.")
    data_product: str | None = Field(default=None, description="Data product the dataset is part of.")
    data_product_output: str | None = Field(default=None, description="Output port of the data product.")
    upstream: Names = Field(default=(), description="The same as upstream at the top level.")


class Metadata(Model):
    """Settings of the run, and any keys of your own."""

    model_config = ConfigDict(extra="allow")

    domain: str | None = Field(default=None, description="Business domain, where info does not say it.")
    system: str | None = Field(default=None, description="System of origin, where info does not say it.")
    data_layer: Name | None = Field(default=None, description="Layer of the target, where info does not say it.")
    engine: Name | None = Field(default=None, description="Engine to run on, where the call does not say it.")
    environment: str | None = Field(default=None, description="Name of the environment, for the run log.")
    run_log_dir: str | None = Field(default=None, description="Folder of the run log.")
    run_log_path: str | None = Field(default=None, description="File or table path of the run log.")
    run_log_table: str | None = Field(default=None, description="Catalog table of the run log.")
    run_log_backend: str | None = Field(default=None, description="What stores the run log table.")
    run_log_database: str | None = Field(default=None, description="Database file of the run log table.")
    run_log_table_partition_by: Names = Field(default=(), description="Partition columns of the run log table.")
    policy_pack: Names = Field(default=(), description="Policy packs whose defaults and rules are added.")
    upstream_policy: Literal["strict", "warn"] | None = Field(default=None, description="What a missing upstream does.")
    upstream_grace_hours: float | None = Field(default=None, ge=0, description="Hours an upstream may be late.")
    approval_required: bool = Field(
        default=False, description="Whether somebody must approve before data is published."
    )
    approval_file: str | None = Field(default=None, description="File that approvals are written to.")
    approval_quarantine_ratio_threshold: Ratio | None = Field(
        default=None, description="Share of bad rows that asks approval."
    )
    approval_schema_drift: bool = Field(default=False, description="Whether a changed schema asks for approval.")
    cost: Mapping[str, object] | None = Field(
        default=None, description="Figures from which the cost of a run is estimated."
    )
    cache_reference_links: bool = Field(
        default=False, description="Whether links are kept between contracts of one run."
    )
