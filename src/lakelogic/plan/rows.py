"""Which rows of a source are read, as data: between two values of a column, of some days, or with some values."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta

from sqlglot import exp

from lakelogic.contract.values import parse_date
from lakelogic.sql.annotate import SOURCE
from lakelogic.sql.build import all_of, call, is_null, literal, named, ref
from lakelogic.sql.convert import as_text, convert
from lakelogic.sql.types import Column, type_name


@dataclass(frozen=True)
class RowWindow:
    """Rows between two values of a column, written as text. A side without a value is open.

    Where `high` is not given, it is the highest value that is there when the run begins.
    """

    column: str
    low: str | None = None
    high: str | None = None
    low_included: bool = False
    high_included: bool = True

    def condition(self, value: exp.Expr, data_type: exp.DataType) -> exp.Expr:
        """Whether a row lies in the window."""
        parts: list[exp.Expr] = []
        if self.low is not None:
            above = exp.GTE if self.low_included else exp.GT
            parts.append(above(this=value.copy(), expression=literal(self.low, data_type)))
        if self.high is not None:
            below = exp.LTE if self.high_included else exp.LT
            parts.append(below(this=value.copy(), expression=literal(self.high, data_type)))
        return all_of(*parts) if parts else exp.true()

    def __str__(self) -> str:
        low = f"{'from' if self.low_included else 'above'} {self.low}" if self.low is not None else ""
        high = f"{'up to' if self.high_included else 'before'} {self.high}" if self.high is not None else ""
        return " ".join(part for part in (f"rows with {self.column}", low, high) if part)


@dataclass(frozen=True)
class Slice:
    """A part of a table that is processed again: the days from `first` to `last`, or some values of a column."""

    column: str | None = None
    first: str | None = None
    last: str | None = None
    values: tuple[str, ...] = ()

    def may_have(self, value: str) -> bool:
        """Whether rows with this value, written as text, may lie in the slice; what is no day is for the engine to tell."""
        if self.values:
            return True
        try:
            day = parse_date(value)
        except ValueError:
            return True
        return (not self.first or day >= parse_date(self.first)) and (not self.last or day <= parse_date(self.last))

    def condition(self, value: exp.Expr, data_type: exp.DataType) -> exp.Expr:
        """Whether a row lies in the slice; the last day belongs to it."""
        if self.values:
            return exp.In(this=value.copy(), expressions=[literal(each, data_type) for each in self.values])
        after = str(parse_date(self.last) + timedelta(days=1)) if self.last else None
        return RowWindow("", self.first, after, low_included=True, high_included=False).condition(value, data_type)

    def __str__(self) -> str:
        if self.values:
            return f"{self.column} in {', '.join(self.values)}"
        days = [f"from {self.first}" if self.first else "", f"to {self.last}" if self.last else ""]
        return " ".join(part for part in (self.column or "days", *days) if part)


def comparable(column: Column, declared: exp.DataType | None) -> tuple[exp.Expr, exp.DataType]:
    """A column of the source as it is compared: with its declared type, else as it is read."""
    wanted = declared or column.type
    return convert(ref(column), column.type, wanted), wanted


def measuring(window: RowWindow, value: exp.Expr, data_type: exp.DataType) -> exp.Select:
    """How many rows lie above the window's low end, the highest value among them, and how many rows have none."""
    inside = window.condition(value, data_type)
    highest = as_text(exp.Max(this=exp.If(this=inside, true=value.copy(), false=exp.null())), data_type)
    return exp.select(
        named("high", highest),
        named("rows", call("COUNT_IF", inside.copy())),
        named("missing", call("COUNT_IF", is_null(value.copy()))),
    ).from_(SOURCE)


def highest(column: Column) -> exp.Select:
    """The highest value of a column, as text."""
    return exp.select(named("high", as_text(exp.Max(this=ref(column)), column.type))).from_(SOURCE)


def among(column: Column, values: Sequence[object]) -> exp.Expr:
    """Whether a column has one of some values, each read as the column's type."""
    return exp.In(this=ref(column), expressions=[literal(str(value), column.type) for value in values])


def is_ordered(data_type: exp.DataType) -> bool:
    """Whether values of a type have an order that tells new from old."""
    name = type_name(data_type)
    return not (name == "boolean" or name.startswith(("array", "struct", "map", "binary")))
