"""Names in contract SQL: every column is found, spelt as it is stored, and quoted."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from sqlglot import exp
from sqlglot.errors import OptimizeError
from sqlglot.optimizer.qualify_columns import qualify_columns, quote_identifiers
from sqlglot.optimizer.qualify_tables import qualify_tables

from lakelogic.errors import SqlError, UnknownColumn, did_you_mean
from lakelogic.sql.annotate import SOURCE, output_columns, schema_of
from lakelogic.sql.guard import check_tables
from lakelogic.sql.types import UNKNOWN, Column, Columns


@dataclass(frozen=True)
class Resolved:
    """A SELECT whose names are all known, and what it yields."""

    select: exp.Query
    columns: Columns
    row_wise: bool


def resolve_expression(tree: exp.Expr, columns: Columns, qualifiers: tuple[str, ...] = (SOURCE,)) -> exp.Expr:
    """The expression with every column checked, spelt as stored and quoted.

    Raises:
        SqlError: an unknown column, or a sub-query.
    """
    if tree.find(exp.Query):
        raise SqlError(f"a sub-query is not allowed here: {tree.sql('spark')}", cure="Use a link with lookup or join.")
    allowed = {name.lower() for name in qualifiers}

    def visit(node: exp.Expr) -> exp.Expr:
        if not isinstance(node, exp.Column) or isinstance(node.this, exp.Star):
            return node
        parts = list(node.parts)
        if len(parts) > 1 and parts[0].name.lower() in allowed and parts[0].name not in columns:
            parts = parts[1:]
        found = columns.get(parts[0].name)
        return _path(exp.column(_quoted(found.name)), parts[1:])

    return tree.copy().transform(visit)


def resolve_select(
    tree: exp.Query, columns: Columns, links: Mapping[str, Columns], source_names: tuple[str, ...] = (SOURCE,)
) -> Resolved:
    """A user's SELECT with its names checked; hidden columns of the source ride along where rows keep their identity.

    Raises:
        SqlError: an unknown table or column, or an output column without a name or named twice.
    """
    query = tree.copy()
    if limit := query.find(exp.Limit, exp.Offset):
        raise SqlError(
            f"{limit.sql('spark').strip()} may keep other rows each time.",
            cure="Use deduplicate with sort_by, or a filter.",
        )
    _check_output_names(query)
    check_tables(query, {*source_names, *links})
    for table in query.find_all(exp.Table):
        if table.name.lower() in {name.lower() for name in source_names} and not table.args.get("db"):
            alias = table.alias or table.name
            table.set("this", exp.to_identifier(SOURCE))
            table.set("alias", exp.TableAlias(this=exp.to_identifier(alias)))
    tables = {SOURCE: columns.visible, **links}
    _spell(query, tables)
    schema = schema_of(tables)
    try:
        query = qualify_tables(query, dialect="spark")
        query = qualify_columns(query, schema, expand_alias_refs=False)
    except OptimizeError as error:
        raise _unknown(error, tables) from None
    _check_columns(query, tables)
    outputs = _unique(query.named_selects)
    row_wise = _is_row_wise(query)
    keeps = _keeps_identity(query)
    if keeps and isinstance(query, exp.Select):
        alias = _source_alias(query)
        for hidden in columns.hidden:
            query.select(exp.column(_quoted(hidden.name), table=_quoted(alias)), copy=False)
    quote_identifiers(query, dialect="spark")
    types = {column.name: column.type for column in output_columns(query, columns, links)}
    result = [Column(name, types.get(name, UNKNOWN)) for name in outputs]
    return Resolved(query, Columns((*result, *(columns.hidden if keeps else ()))), row_wise)


def _quoted(name: str) -> exp.Identifier:
    return exp.to_identifier(name, quoted=True)


def _path(column: exp.Expr, rest: list[exp.Expr]) -> exp.Expr:
    for part in rest:
        column = exp.Dot(this=column, expression=_quoted(part.name))
    return column


def _spell(query: exp.Query, tables: Mapping[str, Columns]) -> None:
    """Give each column the spelling under which it is stored, and tell struct members from tables."""
    spelling = {column.name.lower(): column.name for columns in tables.values() for column in columns}
    aliases = {(table.alias or table.name).lower() for table in query.find_all(exp.Table)}
    aliases |= {alias.name.lower() for alias in query.find_all(exp.TableAlias)}
    for node in list(query.find_all(exp.Column)):
        if isinstance(node.this, exp.Star):
            continue
        parts = list(node.parts)
        if len(parts) > 1 and parts[0].name.lower() not in aliases and parts[0].name.lower() in spelling:
            first = exp.column(_quoted(spelling[parts[0].name.lower()]))
            node.replace(_path(first, parts[1:]))
        else:
            name = spelling.get(node.name.lower(), node.name)
            node.set("this", _quoted(name))


def _check_columns(query: exp.Query, tables: Mapping[str, Columns]) -> None:
    known = {name.lower(): columns for name, columns in tables.items()}
    sources = {(t.alias or t.name).lower(): known.get(t.name.lower()) for t in query.find_all(exp.Table)}
    outputs = {name.lower() for select in query.find_all(exp.Select) for name in select.named_selects}
    everywhere = Columns(tuple(column for columns in tables.values() for column in columns))
    for node in query.find_all(exp.Column):
        if isinstance(node.this, exp.Star):
            continue
        columns = sources.get(node.table.lower())
        if columns is not None:
            columns.get(node.name)
        elif not node.table and not (node.name.lower() in outputs and node.find_ancestor(exp.Order, exp.Having)):
            everywhere.get(node.name)


def _unknown(error: OptimizeError, tables: Mapping[str, Columns]) -> SqlError:
    text = str(error).splitlines()[0].rstrip(".")
    if text.startswith("Unknown column: "):
        name = text.removeprefix("Unknown column: ")
        names = [column.name for columns in tables.values() for column in columns]
        return UnknownColumn(f"column '{name}' is unknown.", cure=did_you_mean(name, names))
    return SqlError(f"{text}.")


def _check_output_names(query: exp.Query) -> None:
    for select in query.selects:
        if not select.alias_or_name and not select.is_star:
            text = select.sql("spark")
            raise SqlError(f"the output column {text} of the SELECT has no name.", cure=f"Write '{text} AS name'.")


def _unique(names: list[str]) -> list[str]:
    seen: set[str] = set()
    for name in names:
        if name.lower() in seen:
            raise SqlError(f"the SELECT yields column '{name}' twice.", cure="Give one of them another name.")
        seen.add(name.lower())
    return names


def _keeps_identity(query: exp.Query) -> bool:
    """Whether each output row still is one source row: no grouping, no set operation, FROM is the source itself."""
    if not isinstance(query, exp.Select) or any(query.args.get(key) for key in ("group", "distinct", "with_")):
        return False
    from_ = query.args.get("from_")
    if from_ is None or not isinstance(from_.this, exp.Table) or from_.this.name != SOURCE:
        return False
    return all(node.find_ancestor(exp.Window, exp.Subquery) for node in query.find_all(exp.AggFunc))


def _is_row_wise(query: exp.Query) -> bool:
    if not _keeps_identity(query) or not isinstance(query, exp.Select):
        return False
    shaping = ("where", "joins", "laterals", "having", "limit", "offset", "qualify", "order")
    generators = (exp.Explode, exp.Posexplode, exp.Inline, exp.Window, exp.Subquery)
    return not any(query.args.get(key) for key in shaping) and query.find(*generators) is None


def _source_alias(query: exp.Select) -> str:
    table = query.args["from_"].this
    return str(table.alias or table.name)
