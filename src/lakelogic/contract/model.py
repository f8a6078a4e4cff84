"""The contract as a whole: every key that may stand at the top of the file."""

from __future__ import annotations

from collections.abc import Mapping

from pydantic import Field

from lakelogic.contract.exports import Export
from lakelogic.contract.fields import DataModel, SchemaPolicy
from lakelogic.contract.identity import Info, Metadata
from lakelogic.contract.kinds import AnyTransform
from lakelogic.contract.lineage import Lineage
from lakelogic.contract.logic import ExternalLogic, Extraction
from lakelogic.contract.materialization import Materialization, SoftDeletes
from lakelogic.contract.notifications import Notification
from lakelogic.contract.quality import Quality, Quarantine
from lakelogic.contract.service_levels import FreshnessLimit, ServiceLevels
from lakelogic.contract.source import Environment, Link, Server, Source
from lakelogic.models import Model, Name, Names

Declaration = str | Mapping[str, object]


class Contract(Model):
    """What a data contract may say."""

    version: Name = Field(default="1", description="Version of the contract format; this release reads 1.")
    info: Info = Field(default=Info.model_construct(), description="Title, owner and place of the data product.")
    metadata: Metadata = Field(
        default=Metadata.model_construct(), description="Settings of the run, and any keys of your own."
    )
    dataset: Name | None = Field(
        default=None, description="Name of the dataset; from the target or the file when absent."
    )
    tier: Name | None = Field(default=None, description="Layer of the target; the same as layer.")
    layer: Name | None = Field(default=None, description="Layer of the target: bronze, silver, gold or reference.")
    target_layer: Name | None = Field(default=None, description="Layer of the target; the same as layer.")
    primary_key: Names = Field(default=(), description="Columns that identify a row.")
    natural_key: Names = Field(default=(), description="Business key, for readers.")
    source: Source | None = Field(default=None, description="Where rows are read from, and which of them.")
    server: Server | None = Field(default=None, description="The older spelling of source.")
    environments: Mapping[str, Environment] = Field(
        default={}, description="Path and format in other environments, by name."
    )
    links: tuple[Link, ...] = Field(
        default=(), description="Reference datasets that SQL, rules, lookups and joins can name."
    )
    model: DataModel = Field(default=DataModel.model_construct(), description="The shape that rows must have.")
    schema_policy: SchemaPolicy = Field(
        default=SchemaPolicy.model_construct(), description="What happens when data differs from the model."
    )
    external_logic: ExternalLogic | None = Field(
        default=None, description="A Python function or notebook that makes the rows."
    )
    extraction: Extraction | None = Field(default=None, description="Columns read out of free text.")
    transformations: tuple[AnyTransform, ...] = Field(default=(), description="Steps that reshape rows, in order.")
    logic: Name | None = Field(default=None, description="One SELECT that makes the rows of the target.")
    quality: Quality = Field(default=Quality.model_construct(), description="The rules that data must meet.")
    quarantine: Quarantine = Field(
        default=Quarantine.model_construct(), description="Where bad rows go, and when they stop the run."
    )
    materialization: Materialization = Field(
        default=Materialization.model_construct(), description="Where good rows are written, and how."
    )
    soft_deletes: SoftDeletes | None = Field(
        default=None, description="The older spelling of materialization.soft_delete_*."
    )
    exports: tuple[Export, ...] = Field(default=(), description="Systems that get a copy of the table.")
    lineage: Lineage = Field(default=Lineage.model_construct(), description="Which origin columns every row gets.")
    service_levels: ServiceLevels = Field(
        default=ServiceLevels.model_construct(), description="Promises about freshness, filling and size."
    )
    notifications: tuple[Notification, ...] = Field(default=(), description="Who is told what.")
    upstream: Names = Field(default=(), description="Datasets that must be up to date before this one runs.")
    upstream_freshness: Mapping[str, FreshnessLimit] = Field(
        default={}, description="How old each upstream may be; 'default' is for those not named."
    )
    upstream_contracts: tuple[Declaration, ...] = Field(
        default=(), description="Contracts this one reads, for readers."
    )
    upstream_sources: tuple[Declaration, ...] = Field(default=(), description="Systems this one reads, for readers.")
    downstream: tuple[Declaration, ...] = Field(default=(), description="Who uses the data, for readers.")
    schedule: str | Mapping[str, object] | None = Field(default=None, description="When the contract is meant to run.")
    compliance: Mapping[str, object] = Field(
        default={}, description="Legal frame of the data: gdpr, hipaa and the like."
    )
    stages: Mapping[str, Mapping[str, object]] = Field(
        default={}, description="Changes of the contract for each stage."
    )
    observatory: Mapping[str, object] = Field(default={}, description="Settings of an outside observatory.")
