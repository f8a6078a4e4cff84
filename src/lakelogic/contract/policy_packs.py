"""Policy packs: rules, defaults, service levels and transformations that many contracts share."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path as FilePath
from typing import Any, Literal, cast

from pydantic import Field, create_model, field_validator

from lakelogic.contract.fields import SchemaPolicy
from lakelogic.contract.identity import LAYERS, Metadata, normal_layer
from lakelogic.contract.kinds import AnyDatasetRule, AnyRowRule, AnyTransform, Kinds
from lakelogic.contract.layering import Layered, Written
from lakelogic.contract.lineage import Lineage
from lakelogic.contract.materialization import Materialization
from lakelogic.contract.mesh import MeshFile, known_layer, load_mesh_file
from lakelogic.contract.places import Path, Places
from lakelogic.contract.quality import Quarantine
from lakelogic.contract.service_levels import ServiceLevels
from lakelogic.errors import ContractError, ContractInvalid, LakeLogicError, Place, UsageError, did_you_mean
from lakelogic.models import Model, Name, Names
from lakelogic.rules.base import dataset_rules, row_rules
from lakelogic.transforms.base import transforms

FOLDER = "policy_packs"
_ENDINGS = (".yaml", ".yml", ".json")
_LONGEST = 60

Mode = Literal["prepend", "append", "replace"]


class PackDefaults(Model):
    """Values for contracts that say nothing themselves."""

    metadata: Metadata = Field(default=Metadata.model_construct(), description="Settings of the run.")
    schema_policy: SchemaPolicy = Field(
        default=SchemaPolicy.model_construct(), description="When data differs from a model."
    )
    quarantine: Quarantine = Field(
        default=Quarantine.model_construct(), description="Where bad rows go, and when they stop a run."
    )
    materialization: Materialization = Field(
        default=Materialization.model_construct(), description="How good rows are written."
    )
    lineage: Lineage = Field(default=Lineage.model_construct(), description="Which origin columns every row gets.")


class PackQuality(Model):
    """Rules that are added to those of a contract."""

    row_rules: tuple[AnyRowRule, ...] = Field(default=(), description="Rules that each row must meet.")
    dataset_rules: tuple[AnyDatasetRule, ...] = Field(default=(), description="Rules on all good rows together.")


class PackBase(Model):
    """The keys of a pack that are for all its layers."""

    version: Name = Field(default="1", description="Version of the file's format.")
    name: Name | None = Field(default=None, description="Name of the pack, for readers; the file's name counts.")
    description: str | None = Field(default=None, description="What the pack is for.")
    owner: str | None = Field(default=None, description="Who answers for it.")
    layers: Names = Field(default=(), description="Layers that the pack is for; all when absent.")
    defaults: PackDefaults = Field(
        default=PackDefaults.model_construct(), description="Values where a contract says nothing."
    )
    quality: PackQuality = Field(default=PackQuality.model_construct(), description="Rules that are added.")
    service_levels: ServiceLevels | None = Field(default=None, description="Promises in place of the contract's own.")
    transformations: tuple[AnyTransform, ...] = Field(default=(), description="Steps that are added.")
    transformations_mode: Mode = Field(default="prepend", description="Where the steps go among the contract's own.")

    @field_validator("layers")
    @classmethod
    def _known_layers(cls, names: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(known_layer(name) for name in names)


_STAGED_KEYS = ("defaults", "quality", "service_levels", "transformations", "transformations_mode")
_STAGED: dict[str, Any] = {
    f"{layer}_{key}": (
        cast("Any", PackBase.model_fields[key].annotation) | None,
        Field(default=None, description=f"The same, for {layer} only."),
    )
    for layer in LAYERS
    for key in _STAGED_KEYS
}

PolicyPack = create_model("PolicyPack", __base__=PackBase, **_STAGED)


@dataclass(frozen=True)
class Wanted:
    """Packs that a command asks for, and the folder to look in."""

    names: tuple[str, ...] = ()
    directory: FilePath | None = None


@dataclass(frozen=True)
class Brought:
    """Something that a pack brought to a contract, where it is written in the pack, and why it has no effect here."""

    pack: str
    what: str
    place: Place
    left_out: str | None = None


def find_pack(name: str, folders: Iterable[FilePath]) -> MeshFile[PackBase]:
    """The pack of this name in the first folder that has it; a path is taken as it is.

    Raises:
        ContractError: there is no such pack.
        ContractInvalid: the pack is wrong.
    """
    searched = list(folders)
    if name.endswith(_ENDINGS):
        candidates = [folder / name for folder in searched]
    else:
        candidates = [folder / f"{name}{ending}" for folder in searched for ending in _ENDINGS]
    found = next((file for file in candidates if file.is_file()), None)
    if found is None:
        known = sorted({file.stem for folder in searched for ending in _ENDINGS for file in folder.glob(f"*{ending}")})
        where = "" if known else f" Packs are looked for in folders '{FOLDER}' beside and above the contract."
        raise ContractError(f"policy pack '{name}' does not exist.", cure=did_you_mean(name, known) + where)
    return load_mesh_file(found, PolicyPack)


def apply_packs(
    layered: Layered, directory: FilePath, layer: str | None, wanted: Wanted, overrides: Iterable[str] = ()
) -> tuple[list[Brought], dict[str, str], list[LakeLogicError]]:
    """Adds what the packs bring: what that is, the files with their roles, and what is wrong.

    Raises:
        UsageError: the command asks for a pack or a folder of them that does not exist.
    """
    brought: list[Brought] = []
    files: dict[str, str] = {}
    problems: list[LakeLogicError] = []
    for name, place, folders in _asked(layered, directory, wanted):
        try:
            pack = find_pack(name, folders)
        except ContractInvalid as error:
            problems += error.problems
            continue
        except ContractError as error:
            if place and place.file.startswith("--"):
                # The command is to blame, whichever contract comes first.
                raise UsageError(error.message, cure=error.cure, place=place) from None
            problems.append(error.at(place))
            continue
        if pack.places.file in files:
            continue
        files[pack.places.file] = f"policy pack {name}"
        brought += _Application(layered, pack, name, layer, frozenset(overrides)).apply()
    return brought, files, problems


def _asked(
    layered: Layered, directory: FilePath, wanted: Wanted
) -> Iterator[tuple[str, Place | None, Sequence[FilePath]]]:
    """The packs of the command, then those of the contract, each with the folders to look in."""
    around = [folder / FOLDER for folder in (directory, *directory.parents)]
    given = [wanted.directory] if wanted.directory else around
    if wanted.directory and not wanted.directory.is_dir():
        raise UsageError(f"--policy-pack-dir {wanted.directory} is not a folder.", cure="Check the path.")
    for name in wanted.names:
        yield name, Place(f"--policy-pack {name}"), [FilePath.cwd()] if name.endswith(_ENDINGS) else given
    metadata = layered.data.get("metadata")
    own = metadata.get("policy_pack") if isinstance(metadata, dict) else None
    for name in [own] if isinstance(own, str) else own if isinstance(own, list) else []:
        place = layered.places.of(("metadata", "policy_pack"))
        yield str(name), place, [directory] if str(name).endswith(_ENDINGS) else [*given, *around]


@dataclass(frozen=True)
class _Application:
    """One pack on its way into one contract."""

    layered: Layered
    pack: MeshFile[PackBase]
    name: str
    layer: str | None
    overrides: frozenset[str]

    def apply(self) -> Iterator[Brought]:
        layers = [normal_layer(name) for name in self.pack.model.layers]
        if layers and self.layer not in layers:
            place = self.pack.places.of(("layers",))
            yield Brought(self.name, "the whole pack", place, left_out=f"it is for {', '.join(layers)}")
            return
        general, own = self._said(""), self._said(f"{self.layer}_")
        for said in (own, general):
            yield from self._defaults(said)
        for said in (general, own):
            yield from self._rules(said)
        for said in (general, own):
            yield from self._service_levels(said)
        for said in (general, own):
            yield from self._transformations(said)

    def _said(self, prefix: str) -> Mapping[str, Written]:
        """What the pack says for all layers, or with a layer's prefix for that one."""
        said = {key: self.pack.said(f"{prefix}{key}") for key in _STAGED_KEYS}
        return {key: value for key, value in said.items() if value is not None}

    def _brought(self, what: str, said: Written) -> Brought:
        return Brought(self.name, what, said.places.of(said.path))

    def _defaults(self, said: Mapping[str, Written]) -> Iterator[Brought]:
        for path, leaf in _leaves(said["defaults"]) if "defaults" in said else ():
            if self.layered.add(path, leaf):
                yield self._brought(f"default {'.'.join(str(part) for part in path)}", leaf)

    def _rules(self, said: Mapping[str, Written]) -> Iterator[Brought]:
        quality = said.get("quality")
        for key, noun, kinds in (("row_rules", "rule", row_rules), ("dataset_rules", "dataset rule", dataset_rules)):
            if quality is None or not isinstance(quality.value, dict) or key not in quality.value:
                continue
            there = self.layered.items("quality", key)
            fresh = [item for item in _each(quality[key], kinds) if item.value not in [own.value for own in there]]
            self.layered.arrange(("quality", key), [*there, *fresh])
            yield from (self._brought(f"{noun} {_title(item)}", item) for item in fresh)

    def _service_levels(self, said: Mapping[str, Written]) -> Iterator[Brought]:
        given = any(key.split(".")[0] == "service_levels" for key in self.overrides)
        if "service_levels" in said and not given:
            self.layered.replace("service_levels", said["service_levels"])
            yield self._brought("service levels", said["service_levels"])

    def _transformations(self, said: Mapping[str, Written]) -> Iterator[Brought]:
        if "transformations" not in said:
            return
        mode = said.get("transformations_mode") or self.pack.said("transformations_mode")
        steps, own = list(_each(said["transformations"], transforms)), self.layered.items("transformations")
        match mode.value if mode else "prepend":
            case "append":
                arranged = [*own, *steps]
            case "replace":
                arranged = steps
            case _:
                arranged = [*steps, *own]
        self.layered.arrange(("transformations",), arranged)
        yield from (self._brought(f"transformation {_title(step)}", step) for step in steps)


def _leaves(said: Written, path: Path = ()) -> Iterator[tuple[Path, Written]]:
    """Every value that is no mapping, with the way to it."""
    if not isinstance(said.value, dict):
        yield path, said
        return
    for key in said.value:
        yield from _leaves(said[key], (*path, key))


def _each(said: Written, kinds: Kinds) -> Iterator[Written]:
    """The items of a list; one that names several columns is one item for each, so that each counts by itself."""
    for position in range(len(said.value) if isinstance(said.value, list) else 0):
        item = said[position]
        kind = next((key for key in item.value if key in kinds), None) if isinstance(item.value, dict) else None
        fields = _several(item[kind], kinds.get(kind)) if kind else []
        for field in fields:
            body = item[str(kind)].value
            shared = body if isinstance(body, dict) else {}
            one = {**item.value, kind: {**shared, "fields": [field.value]}}  # type: ignore[dict-item]
            place = field.places.of(field.path)
            yield Written(one, Places(place.file, {("item",): place}), ("item",))
        if not fields:
            yield item


def _several(body: Written, model: Any) -> list[Written]:
    """The columns that an item names, where it does the same to each of them."""
    if model.from_yaml(["column"]) != {"fields": ["column"]}:
        return []
    listed = body["fields"] if isinstance(body.value, dict) and "fields" in body.value else body
    return [listed[at] for at in range(len(listed.value))] if isinstance(listed.value, list) else []


def _title(said: Written) -> str:
    """What a reader calls a rule or step: its name, or its kind and what it is about."""
    item = said.value if isinstance(said.value, dict) else {}
    kind, body = next(iter(item.items()), ("", ""))
    if isinstance(named := item.get("name"), str):
        return named
    if isinstance(body, dict):
        body = body.get("name") or next(iter(body.values()), "")
    told = ", ".join(str(each) for each in body) if isinstance(body, list) else " ".join(str(body).split())
    return f"{kind} {told}" if len(told) <= _LONGEST else f"{kind} {told[: _LONGEST - 1]}…"
