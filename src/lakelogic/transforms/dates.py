"""Transformations of dates."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, date, datetime
from typing import ClassVar, Literal

from pydantic import Field
from sqlglot import exp

from lakelogic.sql.build import call, is_moment, ref
from lakelogic.sql.convert import as_text, convert
from lakelogic.sql.types import BIGINT, STRING, TIMESTAMP, Column, Columns, parse_type
from lakelogic.transforms.base import SOURCE, Step, Transform, TransformExample, named, pick, project, transform

_DATE = parse_type("date")
_COMPACT = "^([0-9]{4})([0-9]{2})([0-9]{2})"
_FROM, _TO = "_ll_from", "_ll_to"
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
        read = as_date if self.unit == "days" else as_timestamp
        # Times are read in a step of their own, which keeps what is computed of them short.
        moments = pick(columns).select(named(_FROM, read(earlier)), named(_TO, read(later)))
        if self.unit == "days":
            difference: exp.Expr = exp.DateDiff(this=ref(_TO), expression=ref(_FROM))
        else:
            difference = exp.TimestampDiff(this=ref(_TO), expression=ref(_FROM), unit=exp.var(_UNITS[self.unit]))
        step = project(columns, {self.field: convert(difference, STRING, BIGINT)}, {self.field: BIGINT})
        return replace(step, select=exp.select(*step.select.selects).from_(moments.subquery(SOURCE)))


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
    dashed = call("REGEXP_REPLACE", text.copy(), exp.Literal.string(_COMPACT), exp.Literal.string("$1-$2-$3"))
    compact = exp.EQ(this=exp.Length(this=text), expression=exp.Literal.number(8))
    return convert(exp.If(this=compact, true=dashed, false=text.copy()), STRING, target)
