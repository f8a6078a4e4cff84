"""Contracts as people look at them: what they say, how they fare, what they stand on."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Literal

from lakelogic.driver.nodes import Node
from lakelogic.observe.history import Run
from lakelogic.observe.service_levels import freshness_hours
from lakelogic.plan.tables import quarantine_table, target_of
from lakelogic.serve.reading.project import Contracts, Served
from lakelogic.serve.reading.rules import DeclaredRule, declared_rules

# `never`: it has not run yet; `late`: it succeeded longer ago than its service level allows.
Health = Literal["healthy", "late", "failed", "waiting", "never", "broken"]


@dataclass(frozen=True)
class ContractSummary:
    """A contract in a list, with how it fares."""

    name: str
    layer: str | None
    domain: str | None
    system: str | None
    entity: str | None
    title: str | None
    owner: str | None
    file: str
    health: Health
    last_run: Run | None = None
    last_success: datetime | None = None
    fresh_for_hours: float | None = None
    problem: str | None = None


@dataclass(frozen=True)
class ContractColumn:
    """A column that a contract declares."""

    name: str
    type: str | None
    required: bool
    key: bool
    private: bool
    masking: str | None
    description: str | None


@dataclass(frozen=True)
class ContractDetail:
    """A contract with all that it says. `upstream` and `downstream` give the reason for each name."""

    summary: ContractSummary
    version: str
    description: str | None
    columns: tuple[ContractColumn, ...]
    rules: tuple[DeclaredRule, ...]
    source: str | None
    target: str
    quarantine: str | None
    strategy: str
    primary_key: tuple[str, ...]
    upstream: Mapping[str, str]
    downstream: Mapping[str, str]
    unlisted: tuple[str, ...]
    yaml: str


@dataclass(frozen=True)
class Edge:
    """One contract needs another, and why."""

    upstream: str
    downstream: str
    because: str


@dataclass(frozen=True)
class Dag:
    """The contracts in the order in which they run, and what needs what."""

    nodes: tuple[ContractSummary, ...]
    edges: tuple[Edge, ...]


def summaries(served: Served) -> tuple[ContractSummary, ...]:
    """Every contract in the order in which they run, then those that can't be loaded, as of this minute."""
    return served.answers.get("summaries", served.minute, lambda: _summaries(served))


def _summaries(served: Served) -> tuple[ContractSummary, ...]:
    contracts, recent, now = served.contracts, served.runs.recent(), datetime.now(UTC)
    found = [_summary(served, node, recent.get(node.name, ()), now) for node in contracts]
    return (*found, *_broken(served, contracts))


def summary(served: Served, name: str) -> ContractSummary:
    """How one contract fares.

    Raises:
        NotFound: there is no such contract.
    """
    node = served.contracts.node(name)
    return _summary(served, node, served.runs.recent().get(name, ()), datetime.now(UTC))


def detail(served: Served, name: str) -> ContractDetail:
    """All that a contract says.

    Raises:
        NotFound: there is no such contract.
    """
    contracts = served.contracts
    node = contracts.node(name)
    contract, model = node.contract, node.contract.model
    target = target_of(contract)
    quarantine = quarantine_table(contract, target)
    source = contract.source
    return ContractDetail(
        summary=summary(served, name),
        version=model.info.version,
        description=model.info.description,
        columns=tuple(_columns(node)),
        rules=declared_rules(contract),
        source=source.path if source else None,
        target=target.text,
        quarantine=quarantine.location if quarantine else None,
        strategy=model.materialization.strategy,
        primary_key=contract.primary_key,
        upstream=contracts.graph.upstreams[name],
        downstream=contracts.downstream(name),
        unlisted=contracts.graph.unlisted.get(name, ()),
        yaml=_text(contract.path),
    )


def dag(served: Served) -> Dag:
    """What needs what, with how each fares."""
    graph = served.contracts.graph
    edges = (Edge(other, name, why) for name in graph.order for other, why in graph.upstreams[name].items())
    return Dag(tuple(each for each in summaries(served) if each.health != "broken"), tuple(edges))


def _summary(served: Served, node: Node, runs: tuple[Run, ...], now: datetime) -> ContractSummary:
    contract, info = node.contract, node.contract.model.info
    success = next((run.ended_at for run in runs if run.status in ("succeeded", "no_new_data")), None)
    limit = freshness_hours(contract.model.service_levels)
    return ContractSummary(
        name=node.name,
        layer=node.layer,
        domain=contract.domain,
        system=contract.system,
        entity=node.entity,
        title=info.title,
        owner=info.owner,
        file=served.shown(contract.path),
        health=_health(runs, success, limit, now),
        last_run=runs[0] if runs else None,
        last_success=success,
        fresh_for_hours=limit,
    )


def _health(runs: tuple[Run, ...], success: datetime | None, limit: float | None, now: datetime) -> Health:
    if not runs:
        return "never"
    if runs[0].status == "awaiting_approval":
        return "waiting"
    if runs[0].status not in ("succeeded", "no_new_data"):
        return "failed"
    late = limit is not None and success is not None and now - success > timedelta(hours=limit)
    return "late" if late else "healthy"


def _broken(served: Served, contracts: Contracts) -> Iterator[ContractSummary]:
    for path, error in contracts.broken.items():
        yield ContractSummary(
            path.stem, None, None, None, None, None, None, served.shown(path), "broken", problem=str(error)
        )


def _columns(node: Node) -> Iterator[ContractColumn]:
    keys = {key.lower() for key in node.contract.primary_key}
    for item in node.contract.model.model.fields:
        yield ContractColumn(
            item.name,
            item.type,
            item.must_be_present,
            item.name.lower() in keys,
            item.is_personal,
            item.masking if item.is_masked else None,
            item.description,
        )


def _text(path: Path | None) -> str:
    """The contract as it was written: variables in it are not filled in."""
    if path is None:
        return ""
    try:
        return path.read_text(encoding="utf-8-sig", errors="replace")
    except OSError:
        return ""
