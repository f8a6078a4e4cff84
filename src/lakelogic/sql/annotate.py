"""Types of expressions, as far as they can be known without an engine."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeVar

from sqlglot import exp
from sqlglot.optimizer.annotate_types import annotate_types
from sqlglot.schema import MappingSchema

from lakelogic.sql.types import UNKNOWN, Columns

SOURCE = "source"

_SURE = {exp.DType.TEXT, exp.DType.VARCHAR, exp.DType.BOOLEAN, exp.DType.DATE, exp.DType.TIMESTAMP}


def schema_of(tables: Mapping[str, Columns]) -> MappingSchema:
    """Tables and their columns in sqlglot's form, spelt as they are stored."""
    return MappingSchema(
        {name: {column.name: column.type for column in columns} for name, columns in tables.items()},
        dialect="spark",
        normalize=False,
    )


ExprT = TypeVar("ExprT", bound=exp.Expr)


def annotated(tree: ExprT, columns: Columns, links: Mapping[str, Columns] | None = None) -> ExprT:
    """The tree itself, with the type of every node that can be told; columns without a table are the source's."""
    query: exp.Query
    if isinstance(tree, exp.Query):
        query = tree
    else:
        query = exp.Select(expressions=[exp.Alias(this=tree, alias=exp.to_identifier("_"))]).from_(SOURCE, copy=False)
    # Types are found for qualified columns only.
    bare = [node for node in query.find_all(exp.Column) if not node.table]
    for node in bare:
        node.set("table", exp.to_identifier(SOURCE))
    annotate_types(query, schema=schema_of({SOURCE: columns, **(links or {})}), dialect="spark")
    for node in bare:
        node.set("table", None)
    if query is not tree:
        tree.pop()
    return tree


def type_of(tree: exp.Expr, columns: Columns) -> exp.DataType:
    """The type of a resolved expression; unknown where only an engine can tell."""
    return known_type(annotated(tree.copy(), columns))


def known_type(node: exp.Expr) -> exp.DataType:
    """The type of an annotated node, where it is sure to be the engine's too.

    Of what is computed, widths of numbers and scales of decimals are the engine's to say.
    """
    plain = node.unalias()
    found = plain.type
    if not isinstance(found, exp.DataType) or found.this == exp.DType.NULL:
        return UNKNOWN
    if isinstance(plain, (exp.Column, exp.Cast)) or found.this in _SURE:
        return found
    decimals = any(not node.is_string and "." in node.name for node in plain.find_all(exp.Literal))
    return found if found.this == exp.DType.DOUBLE and not decimals else UNKNOWN
