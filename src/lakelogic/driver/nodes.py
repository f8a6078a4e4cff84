"""The contracts of a lakehouse: found, loaded, and those of them that are asked for."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from loguru import logger

from lakelogic.contract import LoadedContract, load_contract
from lakelogic.contract.discovery import find_contracts
from lakelogic.contract.identity import LAYERS, normal_layer
from lakelogic.contract.support import unsupported
from lakelogic.driver.one_file import file_asked_for, own_pattern_matches
from lakelogic.driver.registries import Listed, is_registry, read_registry
from lakelogic.errors import ContractError, ContractInvalid, LakeLogicError, Place, UsageError, did_you_mean
from lakelogic.plan.tables import target_of
from lakelogic.project import Project, find_project


@dataclass(frozen=True)
class Selection:
    """Which contracts are asked for, and with which values in place of theirs."""

    paths: tuple[Path, ...] = ()
    registries: tuple[Path, ...] = ()
    reference_registries: tuple[Path, ...] = ()
    gold_registries: tuple[Path, ...] = ()
    layers: tuple[str, ...] = ()
    entities: tuple[str, ...] = ()
    environment: str | None = None
    overrides: Mapping[str, object] = field(default_factory=dict)
    policy_packs: tuple[str, ...] = ()
    policy_pack_dir: Path | None = None
    continue_on_error: bool = False


@dataclass(frozen=True)
class Node:
    """A contract in the graph."""

    contract: LoadedContract
    listed: Listed

    @property
    def name(self) -> str:
        return self.contract.name

    @property
    def layer(self) -> str | None:
        return self.listed.layer or self.contract.layer

    @property
    def entity(self) -> str:
        return self.listed.entity or self.name

    @property
    def place(self) -> Place:
        return self.listed.place


@dataclass(frozen=True)
class Lakehouse:
    """Every contract that is known, and what of it is to run.

    `passed_over` are contracts that were asked for and are not meant, `broken` those that can't be loaded, each with
    the reason; `disabled` are the names of entities that are switched off.
    """

    nodes: Mapping[str, Node]
    chosen: tuple[str, ...]
    passed_over: Mapping[str, str] = field(default_factory=dict)
    broken: Mapping[Path, LakeLogicError] = field(default_factory=dict)
    disabled: tuple[str, ...] = ()


def open_lakehouse(selection: Selection) -> Lakehouse:
    """Load what the registries list and choose what is asked for.

    Raises:
        UsageError: nothing is listed, enabled or chosen.
        ContractInvalid: a contract is wrong, or two have one name or one target.
    """
    listed = _listed(selection)
    enabled = [each for each in listed if each.enabled]
    if not enabled:
        raise UsageError(f"all {len(listed)} contracts are disabled.", cure="Set 'enabled: true' for one of them.")
    layers = _layers(selection.layers)
    loading = _Loading(selection, layers)
    nodes = list(loading.load(enabled))
    _refuse_doubles(nodes)
    chosen = [node for node in nodes if loading.is_chosen(node.listed, node)]
    if not chosen and not loading.broken:
        raise _nothing_chosen(selection, layers, nodes)
    _refuse_unknown_words(selection, layers, nodes)
    passed_over = loading.passed_over
    if passed_over and not {node.name for node in chosen} - set(passed_over):
        file = file_asked_for(selection.overrides)
        raise UsageError(
            f"no contract that is asked for reads a file named '{file}'.",
            cure="Compare --set source.pattern with the patterns of the contracts.",
        )
    return Lakehouse(
        {node.name: node for node in nodes},
        tuple(node.name for node in chosen),
        passed_over,
        loading.broken,
        tuple(each.entity or each.path.stem for each in listed if not each.enabled),
    )


def project_of(selection: Selection) -> Project:
    """The project that the first of what is given is in; parsed contracts are kept beside its run log."""
    given = (*selection.registries, *selection.paths, *selection.reference_registries, *selection.gold_registries)
    first = given[0] if given else Path()
    return find_project(first if first.is_dir() else first.parent)


def load_nodes(folder: Path) -> dict[str, Node]:
    """Every contract of a folder, by name."""
    return dict(open_lakehouse(Selection(paths=(folder,))).nodes)


def _listed(selection: Selection) -> list[Listed]:
    found: dict[tuple[Path, str | None], Listed] = {}
    for each in _sources(selection):
        found.setdefault((each.path.resolve(), each.layer), each)
    if not found:
        raise UsageError("no registry is given.", cure="Name one: lakelogic-driver --registry contracts/_registry.yaml")
    return list(found.values())


def _sources(selection: Selection) -> Iterator[Listed]:
    for layer, files in (
        ("reference", selection.reference_registries),
        (None, selection.registries),
        ("gold", selection.gold_registries),
    ):
        for file in files:
            yield from read_registry(file, layer)
    for path in selection.paths:
        yield from _below(path)


def _below(path: Path) -> Iterator[Listed]:
    """What a path holds: the registries of a folder, else its contracts; a registry's list; a contract."""
    if not path.exists():
        raise UsageError(f"'{path}' does not exist.", cure="Name a contract, a registry or a folder of them.")
    registries = sorted(file for file in path.rglob("_*.yaml") if is_registry(file)) if path.is_dir() else []
    if is_registry(path) or registries:
        for file in registries or [path]:
            yield from read_registry(file)
        return
    for file in find_contracts([path]).contracts:
        yield Listed(file, Place(str(file)))


def _layers(words: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(normal_layer(word) for word in words))


@dataclass
class _Loading:
    """Loads contracts one by one; those that are chosen with the values of the command line."""

    selection: Selection
    layers: tuple[str, ...]
    passed_over: dict[str, str] = field(default_factory=dict)
    broken: dict[Path, LakeLogicError] = field(default_factory=dict)
    problems: list[LakeLogicError] = field(default_factory=list)

    def load(self, listed: Iterable[Listed]) -> Iterator[Node]:
        for each in listed:
            try:
                yield self._node(each)
            except ContractInvalid as error:
                if self.is_chosen(each):
                    self.broken[each.path] = error
                    self.problems += error.problems
                else:
                    logger.warning("{} is left out, because it is not valid", each.path)
        if self.problems and not self.selection.continue_on_error:
            # What is wrong in a file that contracts share, or on the command line, is wrong for each of them.
            raise ContractInvalid({str(problem): problem for problem in self.problems}.values())

    def _node(self, listed: Listed) -> Node:
        overrides = self.selection.overrides
        loaded = self._load(listed)
        node = Node(loaded, listed)
        if listed.layer and loaded.layer and loaded.layer != listed.layer:
            message = f"'{loaded.name}' is listed as {listed.layer}, and its contract says {loaded.layer}."
            raise ContractInvalid([ContractError(message, cure="Correct one of them.", place=listed.place)])
        if not self.is_chosen(listed, node):
            return node
        if (not_yet := unsupported(loaded)) and not self.selection.continue_on_error:
            raise ContractInvalid(not_yet)
        file = file_asked_for(overrides)
        if file is not None and not own_pattern_matches(loaded, file):
            self.passed_over[node.name] = f"it does not read files named '{file}'"
            return node
        packs = self.selection.policy_packs
        return Node(self._load(listed, overrides, packs), listed) if overrides or packs else node

    def _load(
        self, listed: Listed, overrides: Mapping[str, object] | None = None, packs: Sequence[str] = ()
    ) -> LoadedContract:
        return load_contract(
            listed.path,
            overrides=overrides,
            environment=self.selection.environment,
            policy_packs=packs,
            policy_pack_dir=self.selection.policy_pack_dir,
        )

    def is_chosen(self, listed: Listed, node: Node | None = None) -> bool:
        """Whether a contract is asked for; one that can't be loaded is judged by what the registry says of it."""
        layer = node.layer if node else listed.layer
        words = {listed.entity, node.name if node else listed.path.stem}
        wanted = self.selection.entities
        return (not self.layers or layer in self.layers) and (not wanted or not words.isdisjoint(wanted))


def _refuse_doubles(nodes: Iterable[Node]) -> None:
    problems: list[LakeLogicError] = []
    names: dict[str, Node] = {}
    targets: dict[str, Node] = {}
    for node in nodes:
        first = names.setdefault(node.name, node)
        if first is not node:
            problems.append(_double(node, first, f"dataset name '{node.name}'", "Give each a 'dataset' of its own."))
            continue
        target = target_of(node.contract).text
        first = targets.setdefault(target, node)
        if first is not node:
            problems.append(_double(node, first, f"target {target}", "Give each a target of its own."))
    if problems:
        raise ContractInvalid(problems)


def _double(node: Node, first: Node, what: str, cure: str) -> ContractError:
    return ContractError(f"{node.contract.path} has the {what} of {first.contract.path}.", cure=cure, place=node.place)


def _nothing_chosen(selection: Selection, layers: tuple[str, ...], nodes: list[Node]) -> UsageError:
    _refuse_unknown_words(selection, layers, nodes)
    asked = " and ".join(
        f"{option} {','.join(words)}"
        for option, words in (("--layers", selection.layers), ("--entities", selection.entities))
        if words
    )
    return UsageError(f"no contract fits {asked} together.", cure="Leave out one of them.")


def _refuse_unknown_words(selection: Selection, layers: tuple[str, ...], nodes: list[Node]) -> None:
    """
    Raises:
        UsageError: a layer or an entity that is asked for is in no registry.
    """
    listed = {node.layer for node in nodes if node.layer}
    for word, layer in zip(selection.layers, layers, strict=False):
        if layer not in listed:
            known = listed if layer in LAYERS else {*listed, *LAYERS}
            raise UsageError(f"--layers {word}: no contract of that layer is listed.", cure=did_you_mean(word, known))
    entities = {word for node in nodes for word in (node.entity, node.name)}
    for word in selection.entities:
        if word not in entities:
            cure = did_you_mean(word, {node.entity for node in nodes})
            raise UsageError(f"--entities {word}: no entity of that name is listed.", cure=cure)
