"""Rows become columns, and columns become rows."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import ClassVar, Literal, Self

from pydantic import Field, field_validator, model_validator
from sqlglot import exp

from lakelogic.errors import ContractError
from lakelogic.sql.build import Scalar, call, has_value, is_number, is_text, literal, written
from lakelogic.sql.convert import convert
from lakelogic.sql.types import BIGINT, STRING, UNKNOWN, Column, Columns, is_unknown, parse_type, type_name
from lakelogic.transforms.base import (
    SOURCE,
    Names,
    Step,
    Transform,
    TransformExample,
    named,
    ref,
    refuse_hidden,
    refuse_twice,
    transform,
)

Aggregate = Literal["first", "last", "min", "max", "sum", "avg", "mean", "count"]

# Rows have no order, so the first value is the smallest one.
_FUNCTIONS: Mapping[str, type[exp.AggFunc]] = {
    "first": exp.Min,
    "min": exp.Min,
    "last": exp.Max,
    "max": exp.Max,
    "sum": exp.Sum,
    "avg": exp.Avg,
    "mean": exp.Avg,
    "count": exp.Count,
}
_KEY = "_ll_key"
_PLACEHOLDER = re.compile(r"\{(\w*)\}")
_INTEGERS = {"tinyint", "smallint", "int", "bigint"}
_LONG = {"id": "int", "month": "string", "amount": "int"}


@transform("pivot")
class Pivot(Transform):
    """Values of a column become columns; one row for each combination of the id_vars."""

    id_vars: Names = Field(description="The columns that identify a row of the result.", min_length=1)
    pivot_col: str = Field(description="The column whose values become column names.")
    value_col: str | None = Field(None, description="The column with the values.")
    value_cols: Names = Field((), description="Several columns with values.")
    values: tuple[Scalar, ...] = Field(
        (), description="The values that become columns. They must be listed: the plan is made before data is read."
    )
    agg: Aggregate = Field(
        "first", description="What is done with several values for one place; first is the smallest, last the largest."
    )
    aggs: Mapping[str, Aggregate] = Field(default={}, description="The same for each value column.")
    fill_value: Scalar | None = Field(None, description="The value where there is none.")
    separator: str = Field("_", description="Between value column and value, where there are several value columns.")
    name_template: str | None = Field(
        None, description="How column names are made, of {value}, {column} and {agg}, such as {column}_in_{value}."
    )
    value_aliases: Mapping[str | int | float | bool, str] = Field(
        default={}, description="Value: the word that stands for it in column names."
    )

    examples: ClassVar[tuple[TransformExample, ...]] = (
        TransformExample(
            {"id_vars": ["id"], "pivot_col": "month", "value_col": "amount", "values": ["jan", "feb"]},
            before=(
                {"id": 1, "month": "jan", "amount": 5},
                {"id": 1, "month": "feb", "amount": 7},
                {"id": 1, "month": "jan", "amount": 3},
                {"id": 2, "month": "feb", "amount": None},
                {"id": 3, "month": "mar", "amount": 9},
                {"id": None, "month": None, "amount": 1},
            ),
            after=(
                {"id": 1, "jan": 3, "feb": 7},
                {"id": 2, "jan": None, "feb": None},
                {"id": 3, "jan": None, "feb": None},
                {"id": None, "jan": None, "feb": None},
            ),
            types=_LONG,
        ),
        TransformExample(
            {
                "id_vars": "id",
                "pivot_col": "month",
                "value_cols": ["amount", "pieces"],
                "values": ["jan", "feb"],
                "agg": "sum",
                "aggs": {"pieces": "count"},
                "fill_value": 0,
                "value_aliases": {"jan": "january"},
            },
            before=(
                {"id": 1, "month": "jan", "amount": 5, "pieces": 1},
                {"id": 1, "month": "jan", "amount": 7, "pieces": None},
            ),
            after=({"id": 1, "amount_january": 12, "amount_feb": 0, "pieces_january": 1, "pieces_feb": 0},),
            types={**_LONG, "pieces": "int"},
        ),
        TransformExample(
            {
                "id_vars": "month",
                "pivot_col": "id",
                "value_col": "amount",
                "values": [1, 2],
                "agg": "max",
                "name_template": "{agg}_{column}_of_{value}",
            },
            before=({"id": 2, "month": "jan", "amount": 5}, {"id": 2, "month": "jan", "amount": 6}),
            after=({"month": "jan", "max_amount_of_1": None, "max_amount_of_2": 6},),
            types=_LONG,
        ),
    )

    @field_validator("name_template")
    @classmethod
    def _known_placeholders(cls, template: str | None) -> str | None:
        for name in _PLACEHOLDER.findall(template or ""):
            if name not in ("value", "column", "agg"):
                raise ValueError(f"'{{{name}}}' is unknown in name_template; known: {{value}}, {{column}}, {{agg}}")
        return template

    @model_validator(mode="after")
    def _fits_together(self) -> Self:
        if (self.value_col is None) == (not self.value_cols):
            raise ValueError("pivot needs either value_col or value_cols")
        for name in self.aggs:
            if name not in self._value_names:
                raise ValueError(f"aggs names '{name}', which is no value column")
        words = [written(value) for value in self.values]
        for value in self.value_aliases:
            if self.values and written(value) not in words:
                raise ValueError(f"value_aliases names '{value}', which is none of the values")
        return self

    @property
    def _value_names(self) -> Sequence[str]:
        return self.value_cols or (self.value_col or "",)

    def step(self, columns: Columns, links: Mapping[str, Columns]) -> Step:
        ids = [columns.visible.get(name) for name in self.id_vars]
        by = columns.visible.get(self.pivot_col)
        if not self.values:
            raise ContractError(
                f"pivot must know the values of '{by.name}' before data is read.", cure="List them: values: [a, b]."
            )
        made: list[tuple[Column, exp.Expr]] = [(column, ref(column)) for column in ids]
        for name in self._value_names:
            made += [self._cell(by, columns.visible.get(name), value) for value in self.values]
        refuse_twice(self.kind, [column.name for column, _ in made])
        select = exp.select(*(named(column.name, value) for column, value in made)).from_(SOURCE)
        select = select.group_by(*(ref(column) for column in ids))
        return Step(select, Columns(tuple(column for column, _ in made)), row_wise=False, effect="deduplicated")

    def _cell(self, by: Column, column: Column, value: Scalar) -> tuple[Column, exp.Expr]:
        agg = self.aggs.get(column.name, self.agg)
        if agg in ("sum", "avg", "mean") and is_text(column.type):
            raise ContractError(f"'{column.name}' is text, which has no {agg}.", cure="Cast it to a number first.")
        there = exp.EQ(this=ref(by), expression=literal(value, by.type))
        found: exp.Expr = _FUNCTIONS[agg](this=exp.If(this=there, true=ref(column), false=exp.null()))
        data_type = BIGINT if agg == "count" else column.type if agg in ("first", "last", "min", "max") else UNKNOWN
        if self.fill_value is not None:
            filling = literal(self.fill_value, BIGINT if agg == "count" else column.type)
            found = exp.Coalesce(this=found, expressions=[filling])
        return Column(self._name(column, value, agg), data_type), found

    def _name(self, column: Column, value: Scalar, agg: str) -> str:
        aliases = {written(known): word for known, word in self.value_aliases.items()}
        word = aliases.get(written(value), written(value))
        if self.name_template:
            parts = {"value": word, "column": column.name, "agg": agg}
            return _PLACEHOLDER.sub(lambda found: parts[found[1]], self.name_template)
        return word if self.value_col else f"{column.name}{self.separator}{word}"


@transform("unpivot")
class Unpivot(Transform):
    """Columns become rows of names and values; columns that are neither repeated nor turned are left out."""

    id_vars: Names = Field(description="The columns that are repeated on each row.")
    value_vars: Names = Field(
        description="The columns that become rows. Numbers of several types meet as one, other types as text.",
        min_length=1,
    )
    key_field: str = Field("key", description="The column for the names.")
    value_field: str = Field("value", description="The column for the values.")
    include_nulls: bool = Field(False, description="Whether NULL gives a row.")

    examples: ClassVar[tuple[TransformExample, ...]] = (
        TransformExample(
            {"id_vars": ["id"], "value_vars": ["jan", "feb"], "key_field": "month", "value_field": "amount"},
            before=(
                {"id": 1, "jan": 5, "feb": 7},
                {"id": 2, "jan": None, "feb": 1},
                {"id": 3, "jan": None, "feb": None},
            ),
            after=(
                {"id": 1, "month": "jan", "amount": 5},
                {"id": 1, "month": "feb", "amount": 7},
                {"id": 2, "month": "feb", "amount": 1},
            ),
            types={"id": "int", "jan": "int", "feb": "int"},
        ),
        TransformExample(
            {"id_vars": [], "value_vars": ["n", "s"], "include_nulls": True},
            before=({"n": 1, "s": "x"}, {"n": None, "s": None}),
            after=(
                {"key": "n", "value": "1"},
                {"key": "s", "value": "x"},
                {"key": "n", "value": None},
                {"key": "s", "value": None},
            ),
            types={"n": "int", "s": "string"},
        ),
        TransformExample(
            {"id_vars": "id", "value_vars": ["n", "d"]},
            before=({"id": 1, "n": 1, "d": 0.5},),
            after=({"id": 1, "key": "n", "value": 1.0}, {"id": 1, "key": "d", "value": 0.5}),
            types={"id": "int", "n": "int", "d": "double"},
        ),
    )

    def step(self, columns: Columns, links: Mapping[str, Columns]) -> Step:
        ids = [columns.visible.get(name) for name in self.id_vars]
        turned = [columns.visible.get(name) for name in self.value_vars]
        for name in (self.key_field, self.value_field):
            refuse_hidden(columns, name)
        refuse_twice(self.kind, [*(column.name for column in ids), self.key_field, self.value_field])
        refuse_twice(self.kind, [column.name for column in turned])
        common = _common(turned)
        key, value = Column(self.key_field, STRING), Column(self.value_field, common)
        # The names come first, so that one list of texts is all that has to become rows.
        list_ = exp.array(*(exp.Literal.string(column.name) for column in turned))
        inner = exp.select(*(ref(column) for column in columns), named(_KEY, call("EXPLODE_OUTER", list_)))
        chosen = exp.Case()
        for column in turned:
            is_its = exp.EQ(this=ref(_KEY), expression=exp.Literal.string(column.name))
            chosen = chosen.when(is_its, convert(ref(column), column.type, common))
        result = Columns((*ids, key, value, *columns.hidden))
        out = {key.name: ref(_KEY), value.name: chosen}
        select = exp.select(*(named(column.name, out.get(column.name, ref(column))) for column in result))
        select = select.from_(inner.from_(SOURCE).subquery(SOURCE))
        if not self.include_nulls:
            select = select.where(has_value(chosen))
        return Step(select, result, row_wise=False, effect="expanded")


def _common(columns: Sequence[Column]) -> exp.DataType:
    """The type in which the values of several columns meet, the same on every engine.

    Raises:
        ContractError: the type of one is not known before the run.
    """
    names = {type_name(column.type) for column in columns}
    if len(columns) == 1 or (len(names) == 1 and not is_unknown(columns[0].type)):
        return columns[0].type
    if unknown := next((column for column in columns if is_unknown(column.type)), None):
        raise ContractError(
            f"unpivot can't tell the type of '{unknown.name}' before the run.", cure="Cast it to a type first."
        )
    if names <= _INTEGERS:
        return BIGINT
    return parse_type("double") if all(is_number(column.type) for column in columns) else STRING
