"""What a contract inherits: from the `_system.yaml` around it, and the `_domain.yaml` above that."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path as FilePath

from lakelogic.contract.fields import SHORT_POLICIES
from lakelogic.contract.identity import is_layer, layer_in, normal_layer
from lakelogic.contract.layering import Layered, Written
from lakelogic.contract.mesh import (
    DOMAIN_FILE,
    SYSTEM_FILE,
    Domain,
    MeshFile,
    System,
    SystemContract,
    is_by_layer,
    load_domain,
    load_system,
)
from lakelogic.contract.overrides import PATH_KEYS, is_relative_path
from lakelogic.contract.placeholders import fill_placeholders, placeholder_in, settled
from lakelogic.contract.places import Path
from lakelogic.contract.source import Server, Source
from lakelogic.errors import ContractError, LakeLogicError, Place, did_you_mean
from lakelogic.project import Project

# Where in a contract the values of domain and system belong.
_PROMISES: tuple[tuple[tuple[str, ...], Path], ...] = (
    (("domain",), ("metadata", "domain")),
    (("ownership", "owner"), ("info", "owner")),
    (("ownership", "contact"), ("info", "contact")),
    (("slo",), ("service_levels",)),
    (("cost",), ("metadata", "cost")),
    (("notifications",), ("notifications",)),
    (("observatory",), ("observatory",)),
    (("compliance",), ("compliance",)),
    (("retention",), ("compliance", "retention")),
)
_BLOCKS = ("metadata", "schema_policy", "quarantine", "materialization", "lineage", "service_levels")
_VERSION = re.compile(r"_v\d+(\.\d+)*$")


@dataclass(frozen=True)
class Mesh:
    """The files around a contract, and the name under which the system lists it."""

    system: MeshFile[System] | None = None
    domain: MeshFile[Domain] | None = None
    entry: int | None = None

    @property
    def listed(self) -> SystemContract | None:
        """What the system says about this contract."""
        return self.system.model.contracts[self.entry] if self.system and self.entry is not None else None

    @property
    def roles(self) -> dict[str, str]:
        """What each of the files is to the contract."""
        files = {self.system.places.file: "system"} if self.system else {}
        return files | ({self.domain.places.file: "domain"} if self.domain else {})


def find_mesh(file: FilePath | None, directory: FilePath, project: Project) -> Mesh:
    """The mesh that a contract is in: the nearest files upwards, not beyond the project.

    Raises:
        ContractInvalid: one of the files is wrong.
    """
    folders = list(_folders(directory, project))
    system_file = next((found for folder in folders if (found := folder / SYSTEM_FILE).is_file()), None)
    above = folders[folders.index(system_file.parent) :] if system_file else folders
    domain_file = next((found for folder in above if (found := folder / DOMAIN_FILE).is_file()), None)
    system = load_system(system_file) if system_file else None
    domain = load_domain(domain_file) if domain_file else None
    return Mesh(system, domain, system.positions.get(file.resolve()) if system and file else None)


def inherit(layered: Layered, mesh: Mesh, file: FilePath | None) -> list[LakeLogicError]:
    """Adds what the contract leaves to its system and domain; returns what does not fit together."""
    problems: list[LakeLogicError] = []
    layer = layer_of(layered.data, mesh, file)
    if system := mesh.system:
        _add_listed(layered, mesh, layer, file)
        _add_source(layered, system, layer)
        for block in _BLOCKS:
            for said in _for_layer(system, block, layer):
                layered.add((block,), said)
        if name := system.said("system"):
            layered.add(("metadata", "system"), name)
        _add_promises(layered, system)
    if mesh.domain:
        _add_promises(layered, mesh.domain)
        problems += _other_domain(mesh)
    return problems


def fill_in(layered: Layered, mesh: Mesh, file: FilePath | None, environment: str | None) -> list[LakeLogicError]:
    """Fills the placeholders of a contract; returns what is wrong with the environment that was chosen."""
    layer = layer_of(layered.data, mesh, file)
    known = {
        "domain": _first(layered.data, ("info", "domain"), ("metadata", "domain")),
        "system": _first(layered.data, ("info", "system"), ("metadata", "system")),
        "layer": layer,
        "entity": _entity(mesh, file),
        "environment": environment,
        "env": environment,
    }
    storage, problems = _storage(mesh, environment)
    values = settled({name: text for name, text in known.items() if text} | storage)
    fill_placeholders(layered.data, values)
    return [*problems, *_left_open(layered, values)]


def _left_open(layered: Layered, values: Mapping[str, str]) -> Iterator[LakeLogicError]:
    """Placeholders in names and patterns that nothing fills; those in paths are refused where the path is needed."""
    for path in (("dataset",), ("info", "table_name"), ("source", "pattern")):
        if (text := _first(layered.data, path)) and (name := placeholder_in(text)):
            message, cure = f"placeholder '{{{name}}}' has no value.", did_you_mean(name, values)
            yield ContractError(message, cure=cure, place=layered.places.of_value(path))


def layer_of(data: Mapping[str, object], mesh: Mesh, file: FilePath | None) -> str | None:
    """The layer: as declared, else as listed, else the target's, else the folder's."""
    paths = (("layer",), ("tier",), ("target_layer",), ("info", "target_layer"), ("metadata", "data_layer"))
    if declared := _first(data, *paths):
        return normal_layer(declared)
    if mesh.listed and mesh.listed.layer:
        return normal_layer(mesh.listed.layer)
    target = _first(data, ("materialization", "target_path"))
    if target and (found := layer_in(target)):
        return found
    folder = file.resolve().parent.name if file else ""
    return normal_layer(folder) if mesh.system and is_layer(folder) else None


def _folders(directory: FilePath, project: Project) -> Iterator[FilePath]:
    for folder in (directory, *directory.parents):
        yield folder
        if project.file is not None and folder == project.file.parent:
            return


def _first(data: Mapping[str, object], *paths: tuple[str, ...]) -> str | None:
    for path in paths:
        value: object = data
        for part in path:
            value = value.get(part) if isinstance(value, dict) else None
        if isinstance(value, str) and value:
            return value
    return None


def _entity(mesh: Mesh, file: FilePath | None) -> str | None:
    if mesh.listed and mesh.listed.entity:
        return mesh.listed.entity
    return _VERSION.sub("", file.stem) if file else None


def _add_listed(layered: Layered, mesh: Mesh, layer: str | None, file: FilePath | None) -> None:
    """What follows from the system's list: layer, name and upstream."""
    if mesh.system is None:
        return
    place = mesh.system.places.of(("contracts", mesh.entry)) if mesh.entry is not None else Place(str(file))
    system, entity = mesh.system.model.system, _entity(mesh, file)
    if layer:
        _add_once(layered, "layer", layer, place, ("tier",), ("target_layer",), ("info", "target_layer"))
    if mesh.listed and layer and system and entity:
        names = (("info", "dataset"), ("info", "table_name"))
        _add_once(layered, "dataset", f"{layer}_{system}_{entity}", place, *names)
    # An entity's name means a dataset only among all contracts, which the driver knows.
    datasets = [name for name in mesh.listed.depends_on if is_layer(name.split("_")[0])] if mesh.listed else []
    if datasets:
        _add_once(layered, "upstream", datasets, place, ("info", "upstream"))


def _add_once(layered: Layered, key: str, value: object, place: Place, *others: tuple[str, ...]) -> None:
    """Adds a value at the top, unless the contract says it in one of several ways."""
    said = [key in layered.data, *(_holds(layered.data, path) for path in others)]
    if not any(said):
        layered.data[key] = value
        layered.places.keys[(key,)] = layered.places.values[(key,)] = place


def _holds(data: object, path: tuple[str, ...]) -> bool:
    for part in path:
        if not isinstance(data, dict) or part not in data:
            return False
        data = data[part]
    return True


def _for_layer(file: MeshFile[System], block: str, layer: str | None) -> Iterator[Written]:
    """The part of a block that is for a layer, or for all."""
    said = file.said(block)
    if said is None:
        return
    if isinstance(said.value, str) and block == "schema_policy":
        yield Written(dict(SHORT_POLICIES.get(said.value, {})), said.places, said.path)
    elif is_by_layer(said.value):
        for key in said.value if isinstance(said.value, dict) else ():
            if normal_layer(key) == layer:
                yield _anchored(said[key], file.path.parent)
    else:
        yield _anchored(said, file.path.parent)


def _add_source(layered: Layered, system: MeshFile[System], layer: str | None) -> None:
    """Adds how sources are read to whichever of `source` and `server` the contract writes."""
    for block, model in (("source", Source), ("server", Server)):
        other, other_model = ("server", Server) if block == "source" else ("source", Source)
        moves = other in layered.data and block not in layered.data
        for said in _for_layer(system, block, layer):
            if not isinstance(said.value, dict):
                continue
            known = other_model.model_fields.keys() - {"type"} if moves else model.model_fields.keys()
            for key in said.value.keys() & known:
                layered.add((other if moves else block, key), said[key])


def _add_promises(layered: Layered, file: MeshFile[System] | MeshFile[Domain]) -> None:
    for keys, path in _PROMISES:
        if said := file.said(*keys):
            layered.add(path, said)


def _anchored(said: Written, folder: FilePath) -> Written:
    """The value with its relative paths written out: they are relative to the file that they stand in."""

    def anchored(value: object, key: str | None) -> object:
        if isinstance(value, dict):
            return {inner: anchored(item, inner) for inner, item in value.items()}
        if isinstance(value, str) and key in PATH_KEYS and is_relative_path(value):
            return str((folder / value).resolve())
        return value

    return Written(anchored(said.value, None), said.places, said.path)


def _storage(mesh: Mesh, environment: str | None) -> tuple[dict[str, str], list[LakeLogicError]]:
    """The values of placeholders: of the domain, then the system; those of the environment count first."""
    files = [file for file in (mesh.domain, mesh.system) if file is not None]
    values = [_placeholders(file, "storage") for file in files]
    if environment is None:
        return _merged(values), []
    values += [_placeholders(file, "environments", environment, "storage") for file in files]
    known = {name for file in files for name in file.model.environments}
    if not known or environment in known:
        return _merged(values), []
    place = next(file.places.of(("environments",)) for file in reversed(files) if file.model.environments)
    problem = ContractError(
        f"environment '{environment}' is unknown.", cure=did_you_mean(environment, known), place=place
    )
    return _merged(values), [problem]


def _placeholders(file: MeshFile[System] | MeshFile[Domain], *keys: str) -> dict[str, str]:
    """The values that a file gives; relative paths are relative to it."""
    said = file.said(*keys)
    texts = {name: str(value) for name, value in said.value.items()} if said and isinstance(said.value, dict) else {}
    folder = file.path.parent
    return {name: str((folder / text).resolve()) if is_relative_path(text) else text for name, text in texts.items()}


def _merged(values: Iterable[dict[str, str]]) -> dict[str, str]:
    return {name: text for each in values for name, text in each.items()}


def _other_domain(mesh: Mesh) -> Iterator[LakeLogicError]:
    """A system that says it is of another domain than the one it lies in."""
    if mesh.system is None or mesh.domain is None:
        return
    own, above = mesh.system.model.domain, mesh.domain.model.domain
    if own and above and own != above:
        yield ContractError(
            f"the system is of domain '{own}', but lies in domain '{above}'.",
            cure=f"Make it the same as in {mesh.domain.places.file}.",
            place=mesh.system.places.of(("domain",)),
        )
