"""The first rows of a target as the last run that succeeded has left it, with private values hidden."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from sqlglot import exp

from lakelogic.driver.nodes import Node
from lakelogic.engines.opening import EngineSettings, engines, light_engine, open_engine
from lakelogic.errors import SourceError
from lakelogic.formats.bytes import is_uri
from lakelogic.plan.tables import target_of
from lakelogic.serve.reading.project import FIRST_RUN, Contracts, Served
from lakelogic.sources.read import TableToRead
from lakelogic.sql.build import ref
from lakelogic.sql.types import Columns, is_nested
from lakelogic.transforms.base import SOURCE
from lakelogic.wording import HIDDEN

# Columns of the product's own bookkeeping are no data of the user.
_OWN = "_lakelogic_"


@dataclass(frozen=True)
class TableRows:
    """Rows of a table at a version; `total` is how many it has, where that is known."""

    contract: str
    layer: str | None
    location: str
    version: int | None
    total: int | None
    columns: tuple[str, ...]
    rows: tuple[Mapping[str, object], ...]


def table_rows(served: Served, node: Node, limit: int) -> TableRows:
    """The first rows of the target of a contract, by its key.

    Raises:
        SourceError: no run has written it yet, or it can't be read now.
    """
    contract, target = node.contract, target_of(node.contract)
    run = served.runs.last_written(node.name, target.text)
    if run is None:
        raise SourceError(
            f"the table of '{node.name}' has not been built yet.",
            cure=f"Build it and what it reads: {FIRST_RUN}",
        )
    if not target.is_name and not is_uri(target.text) and not Path(target.text).is_dir():
        raise SourceError(
            f"the table of '{node.name}' is gone: {target.text}.",
            cure=f"Restore it, or build it again: lakelogic reload {served.shown(contract.path)}",
        )
    wanted = TableToRead(target.text, target.is_name, run.target_version, format=contract.model.materialization.format)
    stamp = (served.contracts.stamp, run.run_id)
    return served.tables.get((node.name, limit), stamp, lambda: _read(served, node, wanted, limit))


def _read(served: Served, node: Node, wanted: TableToRead, limit: int) -> TableRows:
    project = node.contract.project
    engine = open_engine(EngineSettings(light_engine(), warehouse=project.root / "warehouse"), lambda _: None)
    try:
        pinned, columns = engine.table_columns(wanted)
        shown = Columns(tuple(column for column in columns if not column.name.lower().startswith(_OWN)))
        select = exp.select(*(ref(column) for column in shown)).from_(SOURCE)
        # Any order is as good as another, as long as it stays the same.
        keys = [shown.get(key) for key in node.contract.primary_key if key in shown]
        keys = keys or [column for column in shown if not is_nested(column.type)][:1]
        select = select.order_by(*(ref(key) for key in keys)) if keys else select
        sql = engines.get(engine.name).render(select, columns, {})
        found = engine.rows(f"{sql} LIMIT {limit}", {SOURCE: engine.read_table(pinned)}, limit)
        private = private_columns(served.contracts, node)
        rows = tuple(_hidden(row, private, node) for row in found)
    finally:
        engine.close()
    return TableRows(node.name, node.layer, wanted.location, wanted.version, pinned.rows, tuple(shown.names), rows)


def private_columns(contracts: Contracts, node: Node) -> frozenset[str]:
    """Names of columns whose values must not be shown: private here or upstream, and stored as they are.

    A contract may declare a column of an upstream's name as its own and public.
    """
    declared = {item.name.lower() for item in node.contract.model.model.fields}
    found = _private(node)
    seen, open_ = {node.name}, list(contracts.graph.upstreams.get(node.name, ()))
    while open_:
        name = open_.pop()
        if name not in seen:
            seen.add(name)
            found |= _private(contracts.graph.nodes[name]) - declared
            open_ += contracts.graph.upstreams.get(name, ())
    return frozenset(found)


def _private(node: Node) -> set[str]:
    fields = node.contract.model.model.fields
    return {item.name.lower() for item in fields if item.is_personal and not item.is_masked}


def _hidden(row: Mapping[str, object], private: frozenset[str], node: Node) -> dict[str, object]:
    """A row to look at; where values are private, so may be what was made of them and is declared nowhere."""
    fields = node.contract.model.model.fields
    declared = {item.name.lower() for item in fields}
    doubtful = any(item.is_personal for item in fields)
    return {
        name: HIDDEN
        if value is not None and (name.lower() in private or (doubtful and name.lower() not in declared))
        else value
        for name, value in row.items()
    }
