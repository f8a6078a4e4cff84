"""Transformations of dates."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, date, datetime
from typing import ClassVar, Literal

from pydantic import Field
from sqlglot import exp

from lakelogic.sql.build import call, is_moment, ref
from lakelogic.sql.convert import as_text, convert
from lakelogic.sql.types import BIGINT, STRING, TIMESTAMP, Column, Columns, parse_type
from lakelogic.transforms.base import Step, Transform, TransformExample, project, transform

_DATE = parse_type("date")
_YEAR_MONTH_DAY = ((1, 4), (5, 2), (7, 2))
_UNITS = {"days": "DAY", "hours": "HOUR", "months": "MONTH"}


@transform("date_diff")
class DateDiff(Transform):
    """The time from one column to another: calendar days, or whole hours or months; reads YYYYMMDD text, too."""

    field: str = Field(description="The column for the difference.")
    from_col: str = Field(description="The column with the earlier time.")
    to_col: str = Field(description="The column with the later time.")
    unit: Literal["days", "hours", "months"] = Field("days", description="What is counted.")

    examples: ClassVar[tuple[TransformExample, ...]] = (
        TransformExample(
            {"field": "n", "from_col": "a", "to_col": "b"},
            before=({"a": date(2024, 2, 28), "b": date(2024, 3, 1)}, {"a": date(2024, 3, 1), "b": None}),
            after=(
                {"a": date(2024, 2, 28), "b": date(2024, 3, 1), "n": 2},
                {"a": date(2024, 3, 1), "b": None, "n": None},
            ),
            types={"a": "date", "b": "date"},
        ),
        TransformExample(
            {"field": "n", "from_col": "a", "to_col": "b", "unit": "months"},
            before=(
                {"a": "20240131", "b": "2024-03-30"},
                {"a": "2024-03-15", "b": "20240115"},
                {"a": "?", "b": "20240115"},
            ),
            after=(
                {"a": "20240131", "b": "2024-03-30", "n": 1},
                {"a": "2024-03-15", "b": "20240115", "n": -2},
                {"a": "?", "b": "20240115", "n": None},
            ),
            types={"a": "string", "b": "string"},
        ),
        TransformExample(
            {"field": "n", "from_col": "a", "to_col": "b", "unit": "hours"},
            before=(
                {"a": datetime(2024, 1, 1, 10, 30, tzinfo=UTC), "b": 20240102},
                {"a": datetime(2024, 1, 2, 1, tzinfo=UTC), "b": 20240102},
            ),
            after=(
                {"a": datetime(2024, 1, 1, 10, 30, tzinfo=UTC), "b": 20240102, "n": 13},
                {"a": datetime(2024, 1, 2, 1, tzinfo=UTC), "b": 20240102, "n": -1},
            ),
            types={"a": "timestamp", "b": "int"},
        ),
        TransformExample(
            {"field": "n", "from_col": "a", "to_col": "b"},
            before=({"a": datetime(2024, 1, 1, 23, tzinfo=UTC), "b": datetime(2024, 1, 2, 1, tzinfo=UTC)},),
            after=({"a": datetime(2024, 1, 1, 23, tzinfo=UTC), "b": datetime(2024, 1, 2, 1, tzinfo=UTC), "n": 1},),
            types={"a": "timestamp", "b": "timestamp"},
        ),
    )

    def step(self, columns: Columns, links: Mapping[str, Columns]) -> Step:
        earlier, later = (columns.visible.get(self.from_col), columns.visible.get(self.to_col))
        if self.unit == "days":
            difference: exp.Expr = exp.DateDiff(this=as_date(later), expression=as_date(earlier))
        else:
            difference = exp.TimestampDiff(
                this=as_timestamp(later), expression=as_timestamp(earlier), unit=exp.var(_UNITS[self.unit])
            )
        return project(columns, {self.field: convert(difference, STRING, BIGINT)}, {self.field: BIGINT})


def as_date(column: Column) -> exp.Expr:
    """The column as a date; YYYYMMDD is understood, anything else that is no date is NULL."""
    return _moment(column, _DATE)


def as_timestamp(column: Column) -> exp.Expr:
    """The column as a timestamp; YYYYMMDD is understood, anything else that is no time is NULL."""
    return _moment(column, TIMESTAMP)


def _moment(column: Column, target: exp.DataType) -> exp.Expr:
    if is_moment(column.type):
        return convert(ref(column), column.type, target)
    text = exp.Trim(this=as_text(ref(column), column.type))
    compact = exp.RegexpLike(this=text, expression=exp.Literal.string("^[0-9]{8}$"))
    dashed = call("CONCAT_WS", exp.Literal.string("-"), *(_part(text, start, size) for start, size in _YEAR_MONTH_DAY))
    return convert(exp.If(this=compact, true=dashed, false=text.copy()), STRING, target)


def _part(text: exp.Expr, start: int, size: int) -> exp.Expr:
    return exp.Substring(this=text.copy(), start=exp.Literal.number(start), length=exp.Literal.number(size))
