"""Types of expressions: exactly Spark's, or unknown."""

from __future__ import annotations

from collections.abc import Mapping

from sqlglot import exp
from sqlglot.schema import MappingSchema

from lakelogic.sql.plain import plainly
from lakelogic.sql.types import UNKNOWN, Column, Columns
from lakelogic.sql.typing.infer import Typer
from lakelogic.sql.typing.lattice import is_known

SOURCE = "source"


def schema_of(tables: Mapping[str, Columns]) -> MappingSchema:
    """Tables and their columns in sqlglot's form, spelt as they are stored."""
    return MappingSchema(
        {name: {column.name: column.type for column in columns} for name, columns in tables.items()},
        dialect="spark",
        normalize=False,
    )


def annotated(tree: exp.Expr, columns: Columns, links: Mapping[str, Columns] | None = None) -> exp.Expr:
    """A plain tree, with the type of every node that can be told; columns without a table are the source's."""
    typer = Typer({SOURCE: columns, **(links or {})})
    if isinstance(tree, exp.Query):
        typer.query(tree)
        return tree
    # A column may turn out to be a member of a struct, and is replaced in what holds it.
    holder = exp.Paren(this=tree)
    typer.expression(tree, columns)
    typed: exp.Expr = holder.this
    return typed.pop()


def type_of(tree: exp.Expr, columns: Columns) -> exp.DataType:
    """The type of a resolved expression; unknown where only an engine can tell."""
    return _known(Typer({}).expression(exp.Paren(this=plainly(tree)), columns))


def output_columns(query: exp.Query, columns: Columns, links: Mapping[str, Columns] | None = None) -> Columns:
    """What a resolved query yields."""
    found = Typer({SOURCE: columns, **(links or {})}).query(plainly(query))
    return Columns(tuple(Column(column.name, _known(column.type)) for column in found))


def _known(data_type: exp.DataType) -> exp.DataType:
    return data_type if is_known(data_type) else UNKNOWN
