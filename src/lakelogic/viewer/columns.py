"""The columns of every contract and what they are made of, from plans alone: no rows are read, no engine is started."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from sqlglot import exp

from lakelogic.contract import LoadedContract
from lakelogic.driver.graph import Graph
from lakelogic.driver.nodes import Node
from lakelogic.errors import LakeLogicError
from lakelogic.plan.build import Given, build_plan
from lakelogic.plan.lineage import InputColumn, column_lineage
from lakelogic.plan.model import LinkPlan, Plan, ReadPlan
from lakelogic.run.links import link_select
from lakelogic.sources.delta import local_state
from lakelogic.sources.discover import SourceSpec, link_spec, list_source, source_columns, source_of, to_read
from lakelogic.sources.read import TableToRead
from lakelogic.sql.types import STRING, Column, Columns, parse_type
from lakelogic.viewer.view import BoxColumn

_DIALECT = "spark"


@dataclass(frozen=True)
class Known:
    """The columns of a contract's target, or why their lineage is not known."""

    columns: tuple[BoxColumn, ...]
    note: str | None = None


@dataclass
class Tracing:
    """Goes through contracts in the order in which data flows: what one writes is what the next one reads."""

    graph: Graph
    outside: Mapping[tuple[str, str | None], str]
    """The box of what a contract reads from outside, by the contract and the link, which is None for its source."""
    _written: dict[str, Columns] = field(default_factory=dict)

    def all(self) -> Mapping[str, Known]:
        """What is known of each contract."""
        return {name: self._known(self.graph.nodes[name]) for name in self.graph.order}

    def _known(self, node: Node) -> Known:
        try:
            plan = self._plan(node)
        except LakeLogicError as error:
            declared = _declared(node.contract)
            self._written[node.name] = declared
            note = f"Where its columns come from is not known: {error.message}"
            return Known(tuple(_plain(column, node.contract) for column in declared), note)
        self._written[node.name] = Columns(tuple(Column(name, _type(text)) for name, text in plan.target.columns))
        return Known(self._columns(node, plan))

    def _plan(self, node: Node) -> Plan:
        loaded = node.contract
        columns = self._read(node, None) or _of_source(loaded) or _declared(loaded)
        source = loaded.source
        read = ReadPlan("files", source.path or "" if source else "", "", "full", "", ())
        return build_plan(loaded, Given(read, columns, "", _render, self._links(node)))

    def _links(self, node: Node) -> Mapping[str, tuple[LinkPlan, Columns]]:
        loaded, links = node.contract, {}
        for link in loaded.model.links:
            spec = link_spec(link, loaded.directory)
            found = self._read(node, link.name) or _at(spec) or Columns(tuple(Column(name) for name in link.columns))
            select, columns = link_select(link, found)
            links[link.name] = LinkPlan(link.name, link.name, "", _render(select, found, {})), columns
        return links

    def _read(self, node: Node, link: str | None) -> Columns | None:
        """The columns of what another contract writes, if that is what is read."""
        owner = self._owner(node.name, link)
        return self._written.get(owner) if owner else None

    def _owner(self, name: str, link: str | None) -> str | None:
        wanted = f"link {link}" if link else "source"
        reasons = self.graph.reasons[name]
        return next((upstream for upstream, because in reasons.items() if wanted in because), None)

    def _columns(self, node: Node, plan: Plan) -> tuple[BoxColumn, ...]:
        types = {name.lower(): text for name, text in plan.target.columns}
        private = {name.lower() for name in plan.hide}
        return tuple(
            BoxColumn(
                each.column,
                types.get(each.column.lower(), "unknown"),
                each.kind,
                tuple(pair for one in each.inputs if (pair := self._input(node, one)) is not None),
                each.column.lower() in private,
            )
            for each in column_lineage(plan, _DIALECT)
        )

    def _input(self, node: Node, column: InputColumn) -> tuple[str, str] | None:
        box = self._owner(node.name, column.link) or self.outside.get((node.name, column.link))
        return (box, column.column) if box else None


def _render(tree: exp.Expr, _columns: Columns, _relations: Mapping[str, Columns]) -> str:
    return tree.sql(_DIALECT)


def _of_source(loaded: LoadedContract) -> Columns | None:
    """The columns of a source from outside, as far as one file or a table's log tells them."""
    if loaded.source is None or loaded.source.path is None:
        return None
    return _at(source_of(loaded), loaded)


def _at(spec: SourceSpec | TableToRead, loaded: LoadedContract | None = None) -> Columns | None:
    if isinstance(spec, TableToRead) or spec.is_table:
        location = spec.location if isinstance(spec, TableToRead) else spec.location.text
        state = local_state(location)
        return state.columns if state else None
    if "://" in spec.location.text:
        return None
    listing = list_source(spec)
    if not listing.files:
        return None
    wanted = to_read(loaded, spec, listing, listing.files[-1:])
    return None if wanted.kind.needs_engine else source_columns(wanted)


def _declared(loaded: LoadedContract) -> Columns:
    return Columns(tuple(Column(f.name, _type(f.type)) for f in loaded.model.model.fields))


def _type(text: str | None) -> exp.DataType:
    return parse_type(text) if text and text != "unknown" else STRING


def _plain(column: Column, loaded: LoadedContract) -> BoxColumn:
    private = {f.name for f in loaded.model.model.fields if f.is_personal or f.is_masked}
    return BoxColumn(column.name, column.type.sql(_DIALECT).lower(), "transformation", (), column.name in private)
