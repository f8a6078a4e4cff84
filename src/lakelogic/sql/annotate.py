"""Types of expressions: exactly Spark's, or unknown."""

from __future__ import annotations

from collections.abc import Mapping

from sqlglot import exp
from sqlglot.schema import MappingSchema

from lakelogic.errors import SqlError
from lakelogic.sql.build import readable
from lakelogic.sql.plain import plainly
from lakelogic.sql.shape import is_condition
from lakelogic.sql.types import UNKNOWN, Column, Columns, type_name
from lakelogic.sql.typing.infer import Typer
from lakelogic.sql.typing.lattice import TEXT, is_known

SOURCE = "source"
_MAY_BE_TRUE = {exp.DType.BOOLEAN, exp.DType.NULL, exp.DType.UNKNOWN, *TEXT}


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


def require_condition(tree: exp.Expr, columns: Columns) -> exp.Expr:
    """The same resolved expression, if it can be true or false.

    Raises:
        SqlError: it is a number, a date or the like.
    """
    if not is_condition(tree) and (found := type_of(tree, columns)).this not in _MAY_BE_TRUE:
        shown = f"{readable(tree)} is of type {type_name(found)}"
        raise SqlError(f"a condition is true or false, but {shown}.", cure="Compare it with something.")
    return tree


def output_columns(query: exp.Query, columns: Columns, links: Mapping[str, Columns] | None = None) -> Columns:
    """What a resolved query yields."""
    found = Typer({SOURCE: columns, **(links or {})}).query(plainly(query))
    return Columns(tuple(Column(column.name, _known(column.type)) for column in found))


def _known(data_type: exp.DataType) -> exp.DataType:
    return data_type if is_known(data_type) else UNKNOWN
