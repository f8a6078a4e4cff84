"""Links: reference datasets, read once and named in SQL."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from sqlglot import exp

from lakelogic.contract import LoadedContract
from lakelogic.contract.source import Link
from lakelogic.engines.base import Engine
from lakelogic.errors import LakeLogicError, SourceError
from lakelogic.plan.model import LinkPlan
from lakelogic.sources.discover import SourceSpec, link_spec, list_source, source_columns, to_read
from lakelogic.sources.read import TableToRead
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


def read_links(loaded: LoadedContract, engine: Engine[Any], render: Any) -> Mapping[str, ReadLink]:
    """Every link of a contract, narrowed as it says.

    Raises:
        SourceError: a link can't be read.
        SqlError: its filter or query names something unknown.
    """
    links = {}
    for position, link in enumerate(loaded.model.links):
        try:
            links[link.name] = _read(link, loaded, engine, render)
        except LakeLogicError as error:
            raise error.at(loaded.place("links", position)) from None
    return links


def _read(link: Link, loaded: LoadedContract, engine: Engine[Any], render: Any) -> ReadLink:
    wanted = link_spec(link, loaded.directory)
    if isinstance(wanted, TableToRead):
        table, columns = engine.table_columns(wanted)
        location, format_ = wanted.location, "table" if wanted.is_name else "delta"
        frame = engine.read_table(table)
    else:
        frame, columns, location, format_ = _read_files(wanted, engine)
    select, columns = _narrowed(link, columns)
    sql = render(select, columns)
    return ReadLink(
        LinkPlan(link.name, location, format_, sql, link.broadcast), columns, engine.select(sql, {"source": frame})
    )


def _read_files(wanted: SourceSpec, engine: Engine[Any]) -> tuple[Any, Columns, str, str]:
    listing = list_source(wanted)
    if not listing.files:
        raise SourceError(f"no file matches {wanted.location.text}.", cure="Check the link's path.")
    files = to_read(None, wanted, listing, listing.files)
    if files.format == "json":
        files = engine.files_columns(files)
    return engine.read_files(files), source_columns(files), wanted.location.text, files.format


def _narrowed(link: Link, columns: Columns) -> tuple[exp.Query, Columns]:
    """The link's own SELECT, or one of its columns and filter."""
    if link.query:
        parsed = parse_projection(link.query)
        if isinstance(parsed, exp.Query):
            resolved = resolve_select(parsed, columns, {}, ("source", link.name))
            return resolved.select, resolved.columns
    kept = Columns(tuple(columns.get(name) for name in link.columns)) if link.columns else columns
    select = exp.select(*(ref(column) for column in kept)).from_("source")
    if link.filter:
        select = select.where(resolve_expression(parse_condition(link.filter), columns, ("source", link.name)))
    return select, kept
