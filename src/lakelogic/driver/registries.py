"""Registry files: which contracts there are, for which entity and layer, and which of them are enabled."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from pydantic import Field, ValidationError

from lakelogic.contract.identity import LAYERS, is_layer, normal_layer
from lakelogic.contract.mesh import SYSTEM_FILE, load_system
from lakelogic.contract.places import Places
from lakelogic.contract.problems import problems_of
from lakelogic.contract.reading import decode, path_cure, read_yaml
from lakelogic.contract.values import Duration, parse_duration
from lakelogic.contract.variables import Variables
from lakelogic.errors import ContractError, ContractInvalid, NotSupportedYet, Place, UsageError, did_you_mean
from lakelogic.models import Model, Name

M = TypeVar("M", bound=Model)

REGISTRY = "_registry.yaml"


class Entry(Model):
    """An entity, and its contract in each layer."""

    entity: Name = Field(description="Name of the entity, as --entities takes it.")
    enabled: bool = Field(default=True, description="Whether its contracts run.")
    contracts: Mapping[str, Name] = Field(default={}, description="Contract file of each layer.")
    contract_path: Name | None = Field(default=None, description="The one contract file, where there are no layers.")
    timeout: Duration | None = Field(default=None, description="Longest time that one of its contracts may take.")


class Cloud(Model):
    """Reports to an outside service."""

    enabled: bool = Field(default=False, description="Whether reports are sent.")
    report_url: str | None = Field(default=None, description="Where they are sent.")
    api_key: str | None = Field(default=None, description="The key of that service.")


class Registry(Model):
    """A file that lists entities."""

    version: Name = Field(default="1", description="Version of the registry format; this release reads 1.")
    description: str | None = Field(default=None, description="What is listed here.")
    domain: str | None = Field(default=None, description="Business domain of the entities.")
    system: str | None = Field(default=None, description="System that they come from.")
    entries: tuple[Entry, ...] = Field(default=(), description="The entities.")
    cloud: Cloud = Field(default=Cloud.model_construct(), description="Reports to an outside service.")


@dataclass(frozen=True)
class Listed:
    """A contract as a registry, or the folder that holds it, names it."""

    path: Path
    place: Place
    entity: str | None = None
    layer: str | None = None
    enabled: bool = True
    timeout_seconds: float | None = None


def read_registry(file: Path, layer: str | None = None) -> tuple[Listed, ...]:
    """The contracts that a registry lists, in its order; `layer` is for entries that name none.

    Raises:
        ContractInvalid: the file is not a registry; names every problem.
        UsageError: it can't be read, or lists nothing.
    """
    try:
        raw = file.read_bytes()
    except OSError as error:
        raise UsageError(f"registry '{file}' can't be read: {error.strerror}.", cure=path_cure(file)) from None
    listed = tuple(_of_system(file) if file.name == SYSTEM_FILE else _of_entries(file, raw, layer))
    if not listed:
        raise UsageError("the registry lists no contract.", cure="Add entries.", place=Place(str(file)))
    if missing := [
        ContractError(f"contract '{each.path}' does not exist.", cure=path_cure(each.path), place=each.place)
        for each in listed
        if not each.path.is_file()
    ]:
        raise ContractInvalid(missing)
    return listed


def is_registry(file: Path) -> bool:
    """Whether a file lists contracts, by its name."""
    return file.name in (REGISTRY, SYSTEM_FILE)


def _of_entries(file: Path, raw: bytes, layer: str | None) -> Iterator[Listed]:
    written, places = read_yaml(decode(raw, str(file)), str(file))
    registry = _validated(Registry, written, places)
    if registry.version.split(".")[0] != "1":
        raise _wrong(f"registry format '{registry.version}' is unknown to this release.", places, "version")
    if registry.cloud.enabled:
        raise NotSupportedYet("cloud.enabled", place=places.of(("cloud",)))
    for number, entry in enumerate(registry.entries):
        if bool(entry.contracts) == bool(entry.contract_path):
            raise _wrong(f"entity '{entry.entity}' needs either contracts or contract_path.", places, "entries", number)
        paths: dict[str | None, str] = dict(entry.contracts.items()) or {layer: str(entry.contract_path)}
        for word, path in paths.items():
            key: tuple[str | int, ...] = ("entries", number, "contracts", word or "")
            yield Listed(
                file.parent / path,
                places.of(key),
                entry.entity,
                _layer(word, places.of(key)),
                entry.enabled,
                timeout_seconds=_seconds(entry.timeout),
            )


def _of_system(file: Path) -> Iterator[Listed]:
    """The contracts of a system; what else it says, they inherit when they are loaded."""
    system = load_system(file)
    for number, each in enumerate(system.model.contracts):
        place = system.places.of(("contracts", number))
        yield Listed(file.parent / each.path, place, each.entity, _layer(each.layer, place), each.enabled)


def _validated(model: type[M], written: dict[str, object], places: Places) -> M:
    variables = Variables(os.environ, places)
    document = variables.fill(written)
    if variables.problems:
        raise ContractInvalid(variables.problems)
    try:
        return model.model_validate(document)
    except ValidationError as error:
        raise ContractInvalid(problems_of(error, model, written, places)) from None


def _layer(word: str | None, place: Place) -> str | None:
    if word is not None and not is_layer(word):
        raise ContractInvalid(
            [ContractError(f"layer '{word}' is unknown.", cure=did_you_mean(word, LAYERS), place=place)]
        )
    return normal_layer(word) if word is not None else None


def _seconds(text: str | None) -> float | None:
    return parse_duration(text).total_seconds() if text else None


def _wrong(message: str, places: Places, *path: str | int) -> ContractInvalid:
    return ContractInvalid([ContractError(message, place=places.of(path))])
