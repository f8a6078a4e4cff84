"""Transformations that give several rows for one."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import date
from typing import ClassVar

from pydantic import Field, field_validator
from sqlglot import exp

from lakelogic.errors import ContractError
from lakelogic.sql.build import call, is_null, is_text
from lakelogic.sql.convert import element_type
from lakelogic.sql.types import STRING, TIMESTAMP, Columns, is_unknown, parse_type, type_name
from lakelogic.transforms.base import Step, Transform, TransformExample, project, ref, transform
from lakelogic.transforms.dates import as_date, as_timestamp

_INTERVAL = re.compile(r"\s*([1-9]\d*)\s*(d|w|mo|q|y|h|day|week|month|quarter|year|hour)s?\s*", re.IGNORECASE)
_UNITS = {
    "d": (1, "DAY"),
    "w": (7, "DAY"),
    "week": (7, "DAY"),
    "mo": (1, "MONTH"),
    "q": (3, "MONTH"),
    "quarter": (3, "MONTH"),
    "y": (12, "MONTH"),
    "year": (12, "MONTH"),
    "h": (1, "HOUR"),
}


@transform("explode")
class Explode(Transform):
    """A row for each element of a list, or of JSON text of a list; an empty or NULL list keeps its row with NULL."""

    field: str = Field(description="The column with the list.")
    output: str | None = Field(None, description="The column for the element; the same one when absent.")

    examples: ClassVar[tuple[TransformExample, ...]] = (
        TransformExample(
            {"field": "tags"},
            before=({"id": 1, "tags": ["a", "b"]}, {"id": 2, "tags": []}, {"id": 3, "tags": None}),
            after=({"id": 1, "tags": "a"}, {"id": 1, "tags": "b"}, {"id": 2, "tags": None}, {"id": 3, "tags": None}),
            types={"id": "int", "tags": "array<string>"},
        ),
        TransformExample(
            {"field": "tags", "output": "tag"},
            before=({"tags": '["a",1]'}, {"tags": "[]"}, {"tags": None}, {"tags": "no list"}),
            after=(
                {"tags": '["a",1]', "tag": "a"},
                {"tags": '["a",1]', "tag": "1"},
                {"tags": "[]", "tag": None},
                {"tags": None, "tag": None},
                {"tags": "no list", "tag": "no list"},
            ),
            types={"tags": "string"},
        ),
    )

    def step(self, columns: Columns, links: Mapping[str, Columns]) -> Step:
        column = columns.visible.get(self.field)
        if is_text(column.type):
            values, element = _list_in_text(ref(column)), STRING
        elif column.type.this == exp.DataType.Type.ARRAY or is_unknown(column.type):
            values, element = ref(column), element_type(column.type)
        else:
            raise ContractError(
                f"explode needs a list, but column '{column.name}' is {type_name(column.type)}.",
                cure="Name a column of type array, or of JSON text.",
            )
        return _one_row_each(columns, self.output or column.name, values, element)


@transform("date_range_explode")
class DateRangeExplode(Transform):
    """A row for each date from start to end, both included; without a range the row stays, with NULL."""

    output: str = Field(description="The column for the date.")
    start_col: str = Field(description="The column with the first date.")
    end_col: str = Field(description="The column with the last date.")
    interval: str = Field("1d", description="The step: a number and d, w, mo, q, y or h.")

    examples: ClassVar[tuple[TransformExample, ...]] = (
        TransformExample(
            {"output": "day", "start_col": "a", "end_col": "b"},
            before=(
                {"a": date(2024, 2, 28), "b": date(2024, 3, 1)},
                {"a": date(2024, 1, 2), "b": date(2024, 1, 1)},
                {"a": date(2024, 1, 1), "b": None},
            ),
            after=(
                {"a": date(2024, 2, 28), "b": date(2024, 3, 1), "day": date(2024, 2, 28)},
                {"a": date(2024, 2, 28), "b": date(2024, 3, 1), "day": date(2024, 2, 29)},
                {"a": date(2024, 2, 28), "b": date(2024, 3, 1), "day": date(2024, 3, 1)},
                {"a": date(2024, 1, 2), "b": date(2024, 1, 1), "day": None},
                {"a": date(2024, 1, 1), "b": None, "day": None},
            ),
            types={"a": "date", "b": "date"},
        ),
        TransformExample(
            {"output": "a", "start_col": "a", "end_col": "b", "interval": "1mo"},
            before=({"a": "20240131", "b": "2024-03-01"}, {"a": "soon", "b": "2024-03-01"}),
            after=(
                {"a": date(2024, 1, 31), "b": "2024-03-01"},
                {"a": date(2024, 2, 29), "b": "2024-03-01"},
                {"a": None, "b": "2024-03-01"},
            ),
            types={"a": "string", "b": "string"},
        ),
    )

    @field_validator("interval")
    @classmethod
    def _known_interval(cls, interval: str) -> str:
        if not _INTERVAL.fullmatch(interval):
            raise ValueError(f"the interval '{interval}' is unknown; write 1d, 1w, 1mo, 1q, 1y or 1h")
        return interval

    def step(self, columns: Columns, links: Mapping[str, Columns]) -> Step:
        match = _INTERVAL.fullmatch(self.interval)
        count, word = (match[1], match[2].lower()) if match else ("1", "d")
        factor, unit = _UNITS.get(word, (1, word.upper()))
        read, element = (as_timestamp, TIMESTAMP) if unit == "HOUR" else (as_date, parse_type("date"))
        start, end = (read(columns.visible.get(self.start_col)), read(columns.visible.get(self.end_col)))
        step = exp.Interval(this=exp.Literal.string(str(int(count) * factor)), unit=exp.var(unit))
        steps = exp.GenerateSeries(start=start, end=end, step=step)
        # SEQUENCE raises when it would have to count backwards.
        dates = exp.If(this=exp.LTE(this=start.copy(), expression=end.copy()), true=steps, false=exp.null())
        return _one_row_each(columns, self.output, dates, element)


def _one_row_each(columns: Columns, output: str, values: exp.Expr, element: exp.DataType) -> Step:
    exploded = call("EXPLODE_OUTER", values)
    step = project(columns, {output: exploded}, {output: element})
    return Step(step.select, step.columns, row_wise=False, effect="expanded")


def _list_in_text(text: exp.Expr) -> exp.Expr:
    """The elements of JSON text; text that is no list is its own single element, so that nothing is lost."""
    elements = call("FROM_JSON", text, exp.Literal.string("array<string>"))
    alone = exp.If(this=is_null(text), true=exp.null(), false=exp.array(text.copy()))
    return exp.Coalesce(this=elements, expressions=[alone])
