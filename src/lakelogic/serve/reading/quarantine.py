"""The review queue: rows of quarantine, of one contract or of all, part by part."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from lakelogic.driver.nodes import Node
from lakelogic.formats.bytes import is_uri
from lakelogic.plan.model import TablePlan
from lakelogic.quarantine.lifecycle import Quarantine
from lakelogic.quarantine.rows import STATES, Order, QuarantinedRow, State, Wanted, in_order
from lakelogic.serve.answers import NotFound
from lakelogic.serve.reading.project import Served
from lakelogic.serve.reading.remembering import Stamp, stamp_of

_MOST_KEPT = 500


@dataclass(frozen=True)
class QueueAsk:
    """Which rows are asked for; what is None is no condition."""

    contract: str | None = None
    rule: str | None = None
    run: str | None = None
    state: State | None = "active"
    order: Order = "newest"
    limit: int = 50
    offset: int = 0


@dataclass(frozen=True)
class QueuedRow:
    """A row of quarantine, and whose it is."""

    contract: str
    layer: str | None
    row: QuarantinedRow


@dataclass(frozen=True)
class QueuePage:
    """A part of the queue. `states` counts all rows that fit but for their state, for each contract."""

    ask: QueueAsk
    total: int
    rows: tuple[QueuedRow, ...]
    states: Mapping[str, Mapping[str, int]]


def queue_page(served: Served, ask: QueueAsk) -> QueuePage:
    """Rows that fit, in their order.

    Raises:
        NotFound: there is no such contract.
        SourceError: a table can't be read now.
    """
    nodes = _asked(served, ask.contract)
    counts = {node.name: _states(served, node, ask) for node in nodes}
    states = {name: each for name, each in counts.items() if any(each.values())}
    chosen = (ask.state,) if ask.state else STATES
    counted = {name: sum(each.get(state, 0) for state in chosen) for name, each in states.items()}
    holders = [node for node in nodes if counted.get(node.name)]
    if len(holders) == 1:
        rows = _rows(served, holders[0], ask, ask.limit, ask.offset)
    else:
        # Whose rows come first is known only after all of those up to this page.
        most = ask.limit + ask.offset
        found = [row for node in holders for row in _rows(served, node, ask, most, 0)]
        rows = in_order(found, ask.order, lambda each: each.row)[ask.offset : most]
    return QueuePage(ask, sum(counted.values()), tuple(rows), states)


def queue_row(served: Served, contract: str, row_id: str) -> QueuedRow:
    """One row, by its id.

    Raises:
        NotFound: there is no such contract or row.
    """
    for node in _asked(served, contract):
        for row in Quarantine(node.contract).rows(Wanted(row=row_id), limit=2):
            if row.id == row_id:
                return QueuedRow(node.name, node.layer, row)
    raise NotFound(f"row '{row_id}' is not in the quarantine of '{contract}'.", cure="/api/quarantine lists rows.")


def _asked(served: Served, contract: str | None) -> list[Node]:
    """The contracts whose quarantine is there."""
    nodes = [served.contracts.node(contract)] if contract is not None else list(served.contracts)
    return [node for node in nodes if node.contract.model.quarantine.enabled and _is_there(Quarantine(node.contract))]


def _is_there(quarantine: Quarantine) -> bool:
    table = quarantine.table
    return _is_remote(table) or Path(table.location).is_dir()


def _is_remote(table: TablePlan) -> bool:
    return table.is_name or is_uri(table.location)


def _states(served: Served, node: Node, ask: QueueAsk) -> Mapping[str, int]:
    quarantine = Quarantine(node.contract)
    wanted = Wanted(rule=ask.rule, run=ask.run)
    key = ("states", node.name, ask.rule, ask.run)
    return served.tables.get(key, _stamp(served, quarantine), lambda: quarantine.states(wanted))


def _rows(served: Served, node: Node, ask: QueueAsk, limit: int, offset: int) -> list[QueuedRow]:
    quarantine = Quarantine(node.contract)
    wanted = Wanted(state=ask.state, rule=ask.rule, run=ask.run)

    def read() -> list[QuarantinedRow]:
        return quarantine.rows(wanted, limit=limit, offset=offset, order=ask.order)

    # Pages far down in the rows of several contracts would fill the memory.
    large = limit > _MOST_KEPT
    key = ("rows", node.name, ask, limit, offset)
    found = read() if large else served.tables.get(key, _stamp(served, quarantine), read)
    return [QueuedRow(node.name, node.layer, row) for row in found]


def _stamp(served: Served, quarantine: Quarantine) -> Stamp:
    """Changes whenever the table does, or a run of its contract begins or ends: rows of one at work are not shown."""
    table, contracts = quarantine.table, served.contracts.stamp
    if _is_remote(table):
        return (contracts, served.runs.stamp)
    return (contracts, *stamp_of((Path(table.location), Path(table.location) / "_delta_log", quarantine.claims.folder)))
