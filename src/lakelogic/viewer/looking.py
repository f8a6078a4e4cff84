"""From registries and folders to a view: which boxes there are, and what leads from one to another."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path, PurePosixPath

from lakelogic.contract.identity import LAYERS
from lakelogic.contract.yaml_cache import remembered
from lakelogic.driver.graph import Graph, build_graph
from lakelogic.driver.nodes import Node, Selection, open_lakehouse, project_of
from lakelogic.plan.locations import locate
from lakelogic.plan.tables import target_of
from lakelogic.viewer.columns import Tracing
from lakelogic.viewer.runs import RunsKept
from lakelogic.viewer.view import SOURCES, Arrow, Box, View

OTHER = "other"
"""The place of contracts that name no layer."""


def look_at(selection: Selection, *, columns: bool = True, now: datetime | None = None) -> View:
    """The lakehouse that is asked for: contracts, what they read, how they fared and, if wanted, their columns.

    Raises:
        UsageError: nothing is listed or chosen.
        ContractInvalid: a contract is wrong, or contracts need each other in a circle.
        StateError: a run log can't be read.
    """
    # What the driver has parsed is not parsed again; nothing is written here.
    with remembered(project_of(selection).state_dir / "cache" / "contracts.json", save=False):
        lakehouse = open_lakehouse(selection)
    return view_of(build_graph(lakehouse.nodes), lakehouse.chosen, columns=columns, now=now)


def view_of(graph: Graph, chosen: tuple[str, ...], *, columns: bool = True, now: datetime | None = None) -> View:
    """Some contracts of a graph, with everything outside that they read."""
    names = [name for name in graph.order if name in set(chosen)]
    outside = {(name, link): _outside_box(location) for name in names for link, location in _outside(graph, name)}
    logs = RunsKept()
    boxes = {name: _box(graph.nodes[name], logs) for name in names}
    if columns:
        known = Tracing(graph, {place: box.name for place, box in outside.items()}).all()
        boxes = {n: replace(box, columns=known[n].columns, note=known[n].note) for n, box in boxes.items()}
    others = {box.name: box for box in outside.values()}
    others |= {name: Box(name, name, SOURCES, "unlisted") for each in names for name in graph.unlisted.get(each, ())}
    arrows = tuple(arrow for name in names for arrow in _arrows(graph, boxes, outside, name))
    return View((*others.values(), *boxes.values()), arrows, _layers(boxes, others), now or datetime.now(UTC))


def _box(node: Node, logs: RunsKept) -> Box:
    loaded, info = node.contract, node.contract.model.info
    layer = node.layer or OTHER
    return Box(
        node.name,
        # The layer stands above its boxes already.
        node.name.removeprefix(f"{layer}_") or node.name,
        layer,
        title=info.title,
        owner=info.owner,
        domain=loaded.domain,
        system=loaded.system,
        file=_near(str(loaded.path)) if loaded.path else None,
        location=_near(target_of(loaded).text),
        strategy=loaded.model.materialization.strategy,
        keys=loaded.primary_key,
        runs=logs.of(node),
    )


def _outside(graph: Graph, name: str) -> Iterator[tuple[str | None, str]]:
    """What a contract reads that no contract writes: the link and the place; None stands for its source."""
    node = graph.nodes[name]
    owned = {because for reasons in graph.reasons[name].values() for because in reasons}
    source = node.contract.source
    if source is not None and source.path and "source" not in owned:
        place = locate(source.path, node.contract.directory).text
        yield None, f"{place}/{source.pattern}" if source.pattern else place
    for link in node.contract.model.links:
        if f"link {link.name}" not in owned:
            yield link.name, link.table or locate(link.path or link.name, node.contract.directory).text


def _outside_box(location: str) -> Box:
    """What is outside is known by its place, so that two contracts that read it lead to one box."""
    near = _near(location)
    return Box(f"{SOURCES}:{near}", "/".join(PurePosixPath(near).parts[-2:]), SOURCES, "source", location=near)


def _arrows(
    graph: Graph, boxes: Mapping[str, Box], outside: Mapping[tuple[str, str | None], Box], name: str
) -> Iterator[Arrow]:
    wrote = boxes[name].runs.wrote
    rows = wrote.counts_source if wrote else None
    for upstream, reasons in graph.reasons[name].items():
        if upstream in boxes:
            yield Arrow(upstream, name, reasons, rows if "source" in reasons else None)
    for link, _ in _outside(graph, name):
        reason = f"link {link}" if link else "source"
        yield Arrow(outside[name, link].name, name, (reason,), None if link else rows)
    for upstream in graph.unlisted.get(name, ()):
        yield Arrow(upstream, name, ("upstream",))


def _layers(boxes: Mapping[str, Box], others: Mapping[str, Box]) -> tuple[str, ...]:
    """Those that are there: sources, the usual ones in their order, the user's own by name."""
    there = {box.layer for box in (*boxes.values(), *others.values())}
    own = sorted(there - {SOURCES, OTHER, *LAYERS})
    return tuple(layer for layer in (SOURCES, *LAYERS, *own, OTHER) if layer in there)


def _near(path: str) -> str:
    """A path as seen from the working directory, where it is below it."""
    here = str(Path.cwd())
    return os.path.relpath(path, here) if path.startswith(f"{here}{os.sep}") else path
