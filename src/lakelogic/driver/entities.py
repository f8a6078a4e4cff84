"""The contracts that a command is about: one, or all of a folder or layer, each after what it needs."""

from __future__ import annotations

from pathlib import Path

from lakelogic.contract import LoadedContract
from lakelogic.contract.identity import normal_layer
from lakelogic.driver.graph import build_graph
from lakelogic.driver.nodes import Selection, open_lakehouse
from lakelogic.errors import UsageError


def entities(path: Path, layer: str | None = None, environment: str | None = None) -> list[LoadedContract]:
    """The contracts of a file or folder: those that its registries list, else all.

    Raises:
        UsageError: there is none, or none of this layer.
        ContractInvalid: a contract is wrong, or they need each other in a circle.
    """
    graph = build_graph(open_lakehouse(Selection(paths=(path,), environment=environment)).nodes)
    found = [graph.nodes[name] for name in graph.order]
    chosen = [node.contract for node in found if layer is None or node.layer == normal_layer(layer)]
    if not chosen:
        layers = ", ".join(sorted({node.layer or "none" for node in found}))
        raise UsageError(f"no contract of layer '{layer}' is in {path}.", cure=f"There is: {layers}.")
    return chosen
