"""The columns of every contract and what they are made of, from plans alone: no rows are read, no engine is started."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from sqlglot import exp

from lakelogic.contract import LoadedContract
from lakelogic.contract.source import Link
from lakelogic.driver.graph import Graph
from lakelogic.driver.nodes import Node
from lakelogic.errors import LakeLogicError, SourceError
from lakelogic.plan.build import Given, build_outline
from lakelogic.plan.lineage import ColumnLineage, InputColumn, Outline, opaque, outlined_lineage
from lakelogic.plan.model import LinkPlan, ReadPlan
from lakelogic.run.links import link_select
from lakelogic.sources.delta import local_state
from lakelogic.sources.discover import SourceSpec, link_spec, list_source, source_columns, source_of, to_read
from lakelogic.sources.read import TableToRead
from lakelogic.sql.annotate import SOURCE
from lakelogic.sql.tracing import Relation
from lakelogic.sql.types import STRING, Column, Columns, is_unknown, parse_type, type_name
from lakelogic.viewer.view import BoxColumn


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
            outline, links, source = self._outline(node)
        except LakeLogicError as error:
            declared = _declared(node.contract)
            self._written[node.name] = declared
            note = f"Where its columns come from is not known: {error.message}"
            return Known(tuple(_plain(column, node.contract) for column in declared), note)
        self._written[node.name] = outline.columns
        lineage = outlined_lineage(outline, links, source)
        return Known(tuple(self._column(node, each, outline) for each in lineage))

    def _outline(self, node: Node) -> tuple[Outline, Mapping[str, exp.Query], Relation]:
        loaded = node.contract
        columns = self._read(node, None) or _of_source(loaded) or _declared(loaded)
        source = Relation(name=SOURCE)
        if loaded.model.external_logic is not None:
            # What the code yields, only a run could tell; the model says what it should be.
            columns = _declared(loaded)
            source = opaque(columns.names)
        read = ReadPlan("files", loaded.source.path or "" if loaded.source else "", "", "full", "", ())
        links = {link.name: self._link(node, link) for link in loaded.model.links}
        given = {name: (LinkPlan(name, "", "", ""), found) for name, (_, found) in links.items()}
        outline = build_outline(loaded, Given(read, columns, "", _unwritten, given))
        return outline, {name: select for name, (select, _) in links.items()}, source

    def _link(self, node: Node, link: Link) -> tuple[exp.Query, Columns]:
        spec = link_spec(link, node.contract.directory)
        found = self._read(node, link.name) or _at(spec) or Columns(tuple(Column(name) for name in link.columns))
        return link_select(link, found)

    def _read(self, node: Node, link: str | None) -> Columns | None:
        """The columns of what another contract writes, if that is what is read."""
        owner = self._owner(node.name, link)
        return self._written.get(owner) if owner else None

    def _owner(self, name: str, link: str | None) -> str | None:
        wanted = f"link {link}" if link else "source"
        reasons = self.graph.reasons[name]
        return next((upstream for upstream, because in reasons.items() if wanted in because), None)

    def _column(self, node: Node, lineage: ColumnLineage, outline: Outline) -> BoxColumn:
        found = outline.columns.find(lineage.column)
        kind = type_name(found.type) if found and not is_unknown(found.type) else "unknown"
        inputs = tuple(pair for one in lineage.inputs if (pair := self._input(node, one)) is not None)
        private = lineage.column.lower() in {name.lower() for name in outline.private}
        return BoxColumn(lineage.column, kind, lineage.kind, inputs, private)

    def _input(self, node: Node, column: InputColumn) -> tuple[str, str] | None:
        box = self._owner(node.name, column.link) or self.outside.get((node.name, column.link))
        return (box, column.column) if box else None


def _unwritten(_tree: exp.Expr, _columns: Columns, _relations: Mapping[str, Columns]) -> str:
    """Nobody runs this SQL."""
    return ""


def _of_source(loaded: LoadedContract) -> Columns | None:
    """The columns of a source from outside, as far as one file or a table's log tells them."""
    if loaded.source is None or loaded.source.path is None:
        return None
    try:
        return _at(source_of(loaded), loaded)
    except SourceError:
        # Nothing has landed yet, or nothing that can be read: the model says what is meant to come.
        return None


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
    return parse_type(text) if text else STRING


def _plain(column: Column, loaded: LoadedContract) -> BoxColumn:
    private = {f.name for f in loaded.model.model.fields if f.is_personal or f.is_masked}
    return BoxColumn(column.name, type_name(column.type), "transformation", (), column.name in private)
