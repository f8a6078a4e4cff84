"""The files that contracts inherit from: `_system.yaml` and, above it, `_domain.yaml`."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path as FilePath
from typing import Annotated, Generic, TypeVar

from pydantic import AfterValidator, Discriminator, Field, Tag, ValidationError

from lakelogic.contract.fields import SchemaPolicy
from lakelogic.contract.identity import LAYERS, Metadata, is_layer
from lakelogic.contract.kinds import problem
from lakelogic.contract.layering import Written
from lakelogic.contract.lineage import Lineage
from lakelogic.contract.materialization import Materialization
from lakelogic.contract.notifications import Notification
from lakelogic.contract.places import Places
from lakelogic.contract.problems import problems_of
from lakelogic.contract.quality import Quarantine
from lakelogic.contract.reading import MAX_BYTES, decode, read_yaml
from lakelogic.contract.service_levels import ServiceLevels
from lakelogic.contract.source import Server, Source
from lakelogic.contract.values import Duration
from lakelogic.contract.variables import Variables
from lakelogic.errors import ContractInvalid, UsageError, did_you_mean
from lakelogic.models import Model, Name, Names

DOMAIN_FILE = "_domain.yaml"
SYSTEM_FILE = "_system.yaml"

Block = TypeVar("Block", bound=Model)
FileModel = TypeVar("FileModel", bound=Model)


def is_by_layer(value: object) -> bool:
    """Whether a block has a part for each layer: `materialization: {bronze: …, silver: …}`."""
    return isinstance(value, dict) and any(isinstance(key, str) and is_layer(key) for key in value)


def known_layer(word: str) -> str:
    """The word, if it names a layer; else pydantic is told what was meant."""
    if not is_layer(word):
        raise problem(f"layer '{word}' is unknown.", did_you_mean(word, LAYERS))
    return word


LayerName = Annotated[str, AfterValidator(known_layer)]
PerLayer = Annotated[
    Annotated[Mapping[LayerName, Block], Tag("by layer")] | Annotated[Block, Tag("for all layers")],
    Discriminator(lambda value: "by layer" if is_by_layer(value) else "for all layers"),
]


class Ownership(Model):
    """Who answers for the data."""

    owner: str | None = Field(default=None, description="Who answers for the data: info.owner of each contract.")
    contact: str | Mapping[str, str] | None = Field(default=None, description="How to reach the owner: info.contact.")
    team: str | None = Field(default=None, description="The team, for readers.")
    steward: str | None = Field(default=None, description="Who cares for the data day by day, for readers.")


class Environment(Model):
    """What is different in one environment."""

    storage: Mapping[str, str] = Field(default={}, description="Values of placeholders in this environment.")


class Shared(Model):
    """What domain and system both may say for their contracts; the system's word counts first."""

    version: Name = Field(default="1", description="Version of the file's format.")
    domain: Name | None = Field(default=None, description="Name of the business domain.")
    description: str | None = Field(default=None, description="What it is about, for readers.")
    ownership: Ownership | None = Field(default=None, description="Who answers for the data.")
    slo: ServiceLevels | None = Field(default=None, description="Promises: service_levels of each contract.")
    cost: Mapping[str, object] | None = Field(default=None, description="Figures of cost: metadata.cost.")
    notifications: tuple[Notification, ...] = Field(default=(), description="Who is told what.")
    observatory: Mapping[str, object] = Field(default={}, description="Settings of an outside observatory.")
    compliance: Mapping[str, object] = Field(default={}, description="Legal frame of the data.")
    retention: Mapping[str, object] = Field(default={}, description="How long data is kept: compliance.retention.")
    storage: Mapping[str, str] = Field(
        default={}, description="Values of placeholders: {lake_root} in a contract is lake_root here."
    )
    environments: Mapping[str, Environment] = Field(
        default={}, description="Other values of placeholders, by environment."
    )


class Domain(Shared):
    """What all systems of a business domain share: `_domain.yaml`."""


class SystemContract(Model):
    """One contract of a system."""

    layer: Name = Field(description="Layer of the contract, where it does not say it.")
    entity: Name = Field(description="What the rows are about.")
    path: Name = Field(description="The contract file, relative to this file.")
    depends_on: Names = Field(
        default=(), description="Datasets or entities that come first; datasets are upstream of the contract."
    )
    enabled: bool = Field(default=True, description="Whether the driver runs it.")
    timeout: Duration | None = Field(default=None, description="Longest time that it may take.")


class System(Shared):
    """What all contracts of a source system share: `_system.yaml`."""

    system: Name | None = Field(default=None, description="Name of the system.")
    contracts: tuple[SystemContract, ...] = Field(default=(), description="The contracts of the system.")
    metadata: PerLayer[Metadata] = Field(default=Metadata.model_construct(), description="Settings of the run.")
    source: PerLayer[Source] = Field(default=Source.model_construct(), description="How sources are read.")
    server: PerLayer[Server] = Field(default=Server.model_construct(), description="The older spelling of source.")
    schema_policy: PerLayer[SchemaPolicy] = Field(
        default=SchemaPolicy.model_construct(), description="When data differs from a model."
    )
    quarantine: PerLayer[Quarantine] = Field(default=Quarantine.model_construct(), description="Where bad rows go.")
    materialization: PerLayer[Materialization] = Field(
        default=Materialization.model_construct(), description="Where good rows are written, and how."
    )
    lineage: PerLayer[Lineage] = Field(
        default=Lineage.model_construct(), description="Which origin columns every row gets."
    )
    service_levels: PerLayer[ServiceLevels] = Field(
        default=ServiceLevels.model_construct(), description="The same as slo."
    )
    external_sources: tuple[str | Mapping[str, object], ...] = Field(
        default=(), description="Systems outside that are read, for readers."
    )


@dataclass(frozen=True)
class MeshFile(Generic[FileModel]):
    """A file that contracts inherit from: what was written, and where."""

    path: FilePath
    model: FileModel
    data: dict[str, object]
    places: Places

    @cached_property
    def positions(self) -> Mapping[FilePath, int]:
        """Where each contract stands in a system's list, by its file."""
        contracts = self.model.contracts if isinstance(self.model, System) else ()
        return {(self.path.parent / each.path).resolve(): position for position, each in enumerate(contracts)}

    def said(self, *keys: str) -> Written | None:
        """What stands under some keys, or None."""
        value: object = self.data
        for key in keys:
            if not isinstance(value, dict) or key not in value:
                return None
            value = value[key]
        return Written(value, self.places, keys)


def load_system(path: FilePath) -> MeshFile[System]:
    """A `_system.yaml`.

    Raises:
        ContractInvalid: the file is not what it should be; names every problem.
        UsageError: the file can't be read.
    """
    return load_mesh_file(path, System)


def load_domain(path: FilePath) -> MeshFile[Domain]:
    """A `_domain.yaml`.

    Raises:
        ContractInvalid: the file is not what it should be; names every problem.
        UsageError: the file can't be read.
    """
    return load_mesh_file(path, Domain)


def load_mesh_file(path: FilePath, model: type[FileModel]) -> MeshFile[FileModel]:
    """A file of this model; read once for all the contracts that inherit from it."""
    try:
        stat = path.stat()
    except OSError as error:
        raise UsageError(f"file '{path}' can't be read: {error.strerror}.") from None
    # A file is named as a reader would type it.
    shown = path.relative_to(FilePath.cwd()) if path.is_relative_to(FilePath.cwd()) else path
    # A variable's value may decide whether the file is valid.
    return _load(path, str(shown), model, (stat.st_mtime_ns, stat.st_size), tuple(sorted(os.environ.items())))


@lru_cache(maxsize=256)
def _load(
    path: FilePath, shown: str, model: type[FileModel], _state: tuple[int, int], environ: tuple[tuple[str, str], ...]
) -> MeshFile[FileModel]:
    with path.open("rb") as stream:
        text = decode(stream.read(MAX_BYTES + 1), shown)
    data, places = read_yaml(text, shown)
    variables = Variables(dict(environ), places)
    try:
        return MeshFile(path, model.model_validate(variables.fill(data)), data, places)
    except ValidationError as error:
        found = problems_of(error, model, data, places)
        for each in found:
            each.message = variables.hide(each.message)
        raise ContractInvalid(found) from None
