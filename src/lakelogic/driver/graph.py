"""Which contract comes before which, and why."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from graphlib import CycleError, TopologicalSorter
from itertools import pairwise
from pathlib import PurePosixPath

from lakelogic.contract.identity import LAYERS
from lakelogic.contract.source import Link
from lakelogic.driver.nodes import Node
from lakelogic.errors import ContractError, ContractInvalid
from lakelogic.plan.locations import Location, locate_in
from lakelogic.plan.tables import target_of

_GLOB = re.compile(r"[*?\[{]")
_FACT = re.compile(r"(^|_)facts?(_|$)")


@dataclass(frozen=True)
class Graph:
    """Contracts, and for each the ones that it needs, with the reason.

    `unlisted` are upstreams that a contract names and no registry lists; `reasons` has all reasons, not only the one
    that is told.
    """

    nodes: Mapping[str, Node]
    upstreams: Mapping[str, Mapping[str, str]]
    unlisted: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    reasons: Mapping[str, Mapping[str, tuple[str, ...]]] = field(default_factory=dict)

    @cached_property
    def order(self) -> tuple[str, ...]:
        """All names: by layer, dimensions before facts, and never before what they need."""
        sorter = TopologicalSorter({name: self.upstreams[name].keys() for name in sorted(self.nodes)})
        steps = {name: step for step, name in enumerate(sorter.static_order())}
        return tuple(sorted(self.nodes, key=lambda name: (self.ranks[name], steps[name])))

    @cached_property
    def ranks(self) -> Mapping[str, tuple[int, int]]:
        """The layer of each contract, then whether it is a fact; never less than that of what it needs."""
        sorter = TopologicalSorter({name: self.upstreams[name].keys() for name in sorted(self.nodes)})
        ranks: dict[str, tuple[int, int]] = {}
        for name in sorter.static_order():
            ranks[name] = max((_rank(self.nodes[name]), *(ranks[each] for each in self.upstreams[name])))
        return ranks

    def descendants(self, name: str) -> set[str]:
        """Everything that needs a contract, at any distance."""
        found: set[str] = set()
        wanted = [name]
        while wanted:
            current = wanted.pop()
            nearer = {each for each in self.nodes if current in self.upstreams[each]} - found
            found |= nearer
            wanted += nearer
        return found


def build_graph(nodes: Mapping[str, Node]) -> Graph:
    """The graph of upstreams, sources, links and foreign keys.

    Raises:
        ContractInvalid: contracts need each other in a circle, or a foreign key names no contract.
    """
    targets = {_key(target_of(node.contract)): name for name, node in nodes.items()}
    reasons: dict[str, dict[str, tuple[str, ...]]] = {}
    unlisted: dict[str, tuple[str, ...]] = {}
    for name, node in nodes.items():
        found: dict[str, tuple[str, ...]] = {}
        for each, because in _needed(node, nodes, targets):
            found[each] = (*found.get(each, ()), because)
        found.pop(name, None)
        reasons[name] = {each: because for each, because in found.items() if each in nodes}
        unlisted[name] = tuple(each for each in found if each not in nodes)
    upstreams = {name: {each: because[-1] for each, because in found.items()} for name, found in reasons.items()}
    graph = Graph(nodes, upstreams, {name: missing for name, missing in unlisted.items() if missing}, reasons)
    try:
        TopologicalSorter(upstreams).prepare()
    except CycleError as error:
        raise _circle(graph, error.args[1]) from None
    return graph


def _needed(node: Node, nodes: Mapping[str, Node], targets: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """What a contract needs and why; the last reason, a declared upstream, is the one that is told."""
    for field_ in node.contract.model.model.fields:
        if field_.foreign_key is not None:
            yield _foreign(field_.foreign_key.contract, nodes), f"foreign key of {field_.name}"
    for location, because in _locations(node):
        if (owner := _owner(location, targets)) is not None:
            yield owner, because
    for other in node.contract.upstream:
        yield other, "upstream"


def _foreign(contract: str, nodes: Mapping[str, Node]) -> str:
    """The name of a contract that a foreign key names by its dataset or its file."""
    stem = PurePosixPath(contract).name.removesuffix(".yaml").removesuffix(".yml")
    files = (name for name, node in nodes.items() if node.contract.path and node.contract.path.stem == stem)
    return contract if contract in nodes else next(files, contract)


def _locations(node: Node) -> Iterator[tuple[Location, str]]:
    source = node.contract.source
    if source is not None and source.path:
        yield locate_in(node.contract, source.path, "source"), "source"
    for number, link in enumerate(node.contract.model.links):
        yield _link(link, node, number), f"link {link.name}"


def _link(link: Link, node: Node, number: int) -> Location:
    if link.table or link.type == "table":
        return Location(link.table or link.path or "", is_name=True)
    return locate_in(node.contract, link.path or "", "links", number)


def _owner(location: Location, targets: Mapping[str, str]) -> str | None:
    """The contract whose target is read: by its name, or by a path that is it or lies in it."""
    if location.is_name:
        return targets.get(_key(location))
    plain = PurePosixPath(_GLOB.split(_key(location), maxsplit=1)[0])
    return next((targets[str(folder)] for folder in (plain, *plain.parents) if str(folder) in targets), None)


def _key(location: Location) -> str:
    return ".".join(location.parts).lower() if location.is_name else str(PurePosixPath(location.text))


def _circle(graph: Graph, names: Iterable[str]) -> ContractInvalid:
    # graphlib lists each before what needs it.
    path = list(names)
    steps = [path[0], *(f"{name} ({graph.upstreams[name][needed]})" for needed, name in pairwise(path))]
    problem = ContractError(
        f"contracts need each other in a circle: {' → '.join(steps)}.",
        cure="Take one of them out.",
        place=graph.nodes[path[0]].place,
    )
    return ContractInvalid([problem])


def _rank(node: Node) -> tuple[int, int]:
    """Layers in their order, layers of the user's own after them; no layer means no rank of its own."""
    if node.layer is None:
        return (-1, 0)
    known = tuple(LAYERS)
    layer = known.index(node.layer) if node.layer in known else len(known)
    is_fact = node.contract.model.materialization.fact is not None or _FACT.search(node.name) is not None
    return (layer, int(is_fact))
