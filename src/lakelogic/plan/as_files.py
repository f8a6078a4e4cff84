"""Rows as a file format can hold them: csv has only text, and a line of json is one text."""

from __future__ import annotations

from sqlglot import exp

from lakelogic.errors import ContractError
from lakelogic.masks.base import as_text
from lakelogic.sql.build import named, ref
from lakelogic.sql.types import Columns

# Each run has a folder of this name, so that its files appear at once and readers can tell runs apart.
RUN = "run"
LINE = "value"
FILE_FORMATS = ("parquet", "csv", "json")


def stored_as(format_: str, columns: Columns) -> exp.Select | None:
    """The SELECT that makes rows storable; None where the format holds them as they are.

    Raises:
        ContractError: a column has the name that the folders of runs have.
    """
    if format_ in FILE_FORMATS and (taken := columns.find(RUN)):
        raise ContractError(
            f"column '{taken.name}' has the name of the folders that a {format_} target keeps its runs in.",
            cure="Rename the column, or use format delta.",
        )
    if format_ == "csv":
        texts = (named(column.name, as_text(ref(column), column.type)) for column in columns)
        return exp.select(*texts).from_("source")
    if format_ == "json":
        return exp.select(named(LINE, _document(columns))).from_("source")
    return None


def _document(columns: Columns) -> exp.Expr:
    members = [part for column in columns for part in (exp.Literal.string(column.name), ref(column))]
    with_nulls = exp.Anonymous(this="MAP", expressions=[exp.Literal.string(t) for t in ("ignoreNullFields", "false")])
    row = exp.Anonymous(this="NAMED_STRUCT", expressions=members)
    return exp.Anonymous(this="TO_JSON", expressions=[row, with_nulls])
