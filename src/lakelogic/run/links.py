"""Links: reference datasets, read once and named in SQL."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from sqlglot import exp

from lakelogic.contract import LoadedContract
from lakelogic.contract.source import Link
from lakelogic.engines.base import Engine
from lakelogic.engines.opening import engines
from lakelogic.errors import ContractError, LakeLogicError, SourceError
from lakelogic.plan.model import LinkPlan
from lakelogic.run.references import References
from lakelogic.sources.delta import delta_columns
from lakelogic.sources.discover import SourceSpec, link_spec, list_source, source_columns, to_read
from lakelogic.sources.read import FilesToRead, TableToRead
from lakelogic.sql.build import ref
from lakelogic.sql.parse import parse_condition, parse_projection
from lakelogic.sql.resolve import resolve_expression, resolve_select
from lakelogic.sql.types import Columns


@dataclass(frozen=True)
class ReadLink:
    """A link with its frame and columns."""

    plan: LinkPlan
    columns: Columns
    frame: Any


def read_links(
    loaded: LoadedContract, engine: Engine[Any], references: References | None = None
) -> Mapping[str, ReadLink]:
    """Every link of a contract, narrowed as it says; through `references`, what others have read is not read again.

    Raises:
        SourceError: a link can't be read.
        SqlError: its filter or query names something unknown.
    """
    links = {}
    for position, link in enumerate(loaded.model.links):
        try:
            links[link.name] = _read(link, loaded, engine, references)
        except LakeLogicError as error:
            raise error.at(loaded.place("links", position)) from None
    return links


def guessed_links(loaded: LoadedContract, engine: str) -> Mapping[str, tuple[LinkPlan, Columns]] | None:
    """The links with their columns as far as files tell them without an engine; None if one does not."""
    links = {}
    for position, link in enumerate(loaded.model.links):
        try:
            wanted = link_spec(link, loaded.directory)
            found = _guessed(wanted)
            if found is None:
                return None
            select, columns = link_select(link, found)
            links[link.name] = _plan(link, wanted, select, found, engine), columns
        except LakeLogicError as error:
            raise error.at(loaded.place("links", position)) from None
    return links


def _guessed(wanted: SourceSpec | TableToRead) -> Columns | None:
    if isinstance(wanted, TableToRead):
        return None if wanted.is_name else delta_columns(wanted.location)
    files = _files(wanted)
    return None if files.kind.needs_engine else source_columns(files)


def _read(link: Link, loaded: LoadedContract, engine: Engine[Any], references: References | None) -> ReadLink:
    wanted = link_spec(link, loaded.directory)
    frame, found = references.read(wanted, engine, _rows) if references else _rows(wanted, engine)
    select, columns = link_select(link, found)
    plan = _plan(link, wanted, select, found, engine.name)
    narrowed = engine.select(plan.sql, {"source": frame})
    return ReadLink(plan, columns, engine.broadcast(narrowed) if link.broadcast else narrowed)


def _rows(wanted: SourceSpec | TableToRead, engine: Engine[Any]) -> tuple[Any, Columns]:
    if isinstance(wanted, TableToRead):
        table, found = engine.table_columns(wanted)
        return engine.read_table(table), found
    files = _files(wanted)
    files = engine.files_columns(files) if files.kind.needs_engine else files
    return engine.read_files(files), source_columns(files)


def _plan(link: Link, wanted: SourceSpec | TableToRead, select: exp.Query, found: Columns, engine: str) -> LinkPlan:
    if isinstance(wanted, TableToRead):
        location, format_ = wanted.location, "table" if wanted.is_name else wanted.format
    else:
        location, format_ = wanted.location.text, wanted.format or ""
    sql = engines.get(engine).render(select, found, {link.name: found})
    return LinkPlan(link.name, location, format_, sql, link.broadcast)


def _files(wanted: SourceSpec) -> FilesToRead:
    listing = list_source(wanted)
    if not listing.files:
        raise SourceError(f"no file matches {wanted.shown}.", cure="Check the link's path.")
    return to_read(None, wanted, listing, listing.files)


def link_select(link: Link, columns: Columns) -> tuple[exp.Query, Columns]:
    """The link's own SELECT, or one of its columns and filter."""
    if link.query:
        return _queried(link, columns)
    kept = Columns(tuple(columns.get(name) for name in link.columns)) if link.columns else columns
    select = exp.select(*(ref(column) for column in kept)).from_("source")
    if link.filter:
        select = select.where(resolve_expression(parse_condition(link.filter), columns, ("source", link.name)))
    return select, kept


def _queried(link: Link, columns: Columns) -> tuple[exp.Query, Columns]:
    parsed = parse_projection(link.query or "")
    if not isinstance(parsed, exp.Query):
        raise ContractError(f"the query of link '{link.name}' is no SELECT.", cure="Write SELECT … FROM source.")
    if link.columns or link.filter:
        raise ContractError(f"link '{link.name}' has a query, and columns or filter beside it.", cure="Keep one.")
    resolved = resolve_select(parsed, columns, {}, ("source", link.name))
    return resolved.select, resolved.columns
