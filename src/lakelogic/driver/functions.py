"""The driver as functions, for orchestrators that walk the graph themselves."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from lakelogic.driver.graph import Graph, build_graph
from lakelogic.driver.nodes import Node, load_nodes
from lakelogic.errors import ContractError, ContractInvalid, did_you_mean
from lakelogic.run.processor import DataProcessor
from lakelogic.run.result import RunResult


@dataclass(frozen=True)
class Dag:
    """The graph of some contracts, and what of it has been stopped."""

    graph: Graph
    stopped: set[str] = field(default_factory=set)


@dataclass(frozen=True)
class Step:
    """A contract at its place in the graph."""

    name: str
    layer: str | None
    upstream: tuple[str, ...]
    node: Node = field(repr=False)
    dag: Dag = field(repr=False)


def load_all_contracts(folder: str | Path) -> Mapping[str, Node]:
    """Every contract below a folder by its name: those that its registries list, else all.

    Raises:
        ContractInvalid: a contract is wrong, or two have one name or one target.
        UsageError: there is none.
    """
    return load_nodes(Path(folder))


def build_dag_from_upstream(registry: Mapping[str, Node]) -> Dag:
    """The graph of contracts, from their upstreams, sources, links and foreign keys.

    Raises:
        ContractInvalid: they need each other in a circle, or name an upstream that is not among them.
    """
    graph = build_graph(registry)
    problems = [
        ContractError(
            f"'{name}' needs '{upstream}', which is unknown.",
            cure=did_you_mean(upstream, registry),
            place=registry[name].contract.place("upstream"),
        )
        for name, missing in graph.unlisted.items()
        for upstream in missing
    ]
    if problems:
        raise ContractInvalid(problems)
    return Dag(graph)


def topo_sort(dag: Dag) -> Iterator[Step]:
    """The contracts in order, each after what it needs; what is stopped meanwhile is left out."""
    for name in dag.graph.order:
        if name not in dag.stopped:
            node = dag.graph.nodes[name]
            yield Step(name, node.layer, tuple(dag.graph.upstreams[name]), node, dag)


def run_contract(step: Step, engine: str | None = None) -> RunResult:
    """Run the contract of a step.

    Raises:
        LakeLogicError: what stopped the run.
    """
    return DataProcessor(step.node.contract, engine).run()


def stop_downstream(step: Step) -> tuple[str, ...]:
    """Leave out everything that needs this contract; the names of what is left out."""
    below = step.dag.graph.descendants(step.name)
    step.dag.stopped.update(below)
    return tuple(sorted(below))
