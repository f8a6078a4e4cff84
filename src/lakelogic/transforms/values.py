"""Transformations of values: defaults, replacements, classes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar, Self

from pydantic import Field, model_validator
from sqlglot import exp

from lakelogic.errors import ContractError
from lakelogic.models import Model
from lakelogic.sql.build import Scalar, all_of, bound, is_null, is_number, literal, ref
from lakelogic.sql.convert import as_text
from lakelogic.sql.types import BIGINT, BOOLEAN, STRING, UNKNOWN, Column, Columns, is_unknown, parse_type
from lakelogic.transforms.base import Step, Transform, TransformExample, project, transform

_DOUBLE = parse_type("double")
_COMPARISONS: dict[str, type[exp.Expr]] = {
    "lt": exp.LT,
    "lte": exp.LTE,
    "gt": exp.GT,
    "gte": exp.GTE,
    "eq": exp.EQ,
}


@transform("coalesce")
class Coalesce(Transform):
    """The first value that is not NULL: the field's own, then the sources', then the default."""

    field: str = Field(description="The column; a new one if only sources are to be read.")
    sources: tuple[str, ...] = Field((), description="Columns to take the value from, in this order.")
    default: Scalar | None = Field(None, description="The value when all of them are NULL.")
    output: str | None = Field(None, description="The column for the result; the field itself when absent.")

    examples: ClassVar[tuple[TransformExample, ...]] = (
        TransformExample(
            {"field": "a", "sources": ["b"], "default": "-"},
            before=({"a": "x", "b": "y"}, {"a": None, "b": "y"}, {"a": None, "b": None}, {"a": "", "b": "y"}),
            after=({"a": "x", "b": "y"}, {"a": "y", "b": "y"}, {"a": "-", "b": None}, {"a": "", "b": "y"}),
            types={"a": "string", "b": "string"},
        ),
        TransformExample(
            {"field": "c", "sources": ["a", "b"]},
            before=({"a": None, "b": 2},),
            after=({"a": None, "b": 2, "c": 2},),
            types={"a": "int", "b": "int"},
        ),
        TransformExample(
            {"field": "a", "default": 0, "output": "b"},
            before=({"a": None}, {"a": 1}),
            after=({"a": None, "b": 0}, {"a": 1, "b": 1}),
            types={"a": "int"},
        ),
    )

    @model_validator(mode="after")
    def _has_alternatives(self) -> Self:
        if not self.sources and self.default is None:
            raise ValueError("coalesce needs sources or a default")
        return self

    def step(self, columns: Columns, links: Mapping[str, Columns]) -> Step:
        sources = [columns.visible.get(name) for name in self.sources]
        is_new = self.field not in columns.visible and sources and self.output is None
        read = sources if is_new else [columns.visible.get(self.field), *sources]
        data_type = read[0].type
        values: list[exp.Expr] = [ref(column) for column in read]
        if self.default is not None:
            values.append(literal(self.default, data_type))
        output = self.output or self.field
        return project(columns, {output: exp.Coalesce(this=values[0], expressions=values[1:])}, {output: data_type})


@transform("map_values")
class MapValues(Transform):
    """Replaces values by others; one that is not in the mapping becomes the default, or stays."""

    field: str = Field(description="The column.")
    mapping: Mapping[str | int | float | bool | None, Scalar | None] = Field(
        description="Value: replacement.", min_length=1
    )
    default: Scalar | None = Field(None, description="The replacement for all other values; they stay when absent.")
    output: str | None = Field(None, description="The column for the result; the same one when absent.")

    examples: ClassVar[tuple[TransformExample, ...]] = (
        TransformExample(
            {"field": "a", "mapping": {"m": "male", "f": "female"}},
            before=({"a": "m"}, {"a": "x"}, {"a": None}),
            after=({"a": "male"}, {"a": "x"}, {"a": None}),
            types={"a": "string"},
        ),
        TransformExample(
            {"field": "a", "mapping": {1: "one", None: "none"}, "default": "many", "output": "b"},
            before=({"a": 1}, {"a": 7}, {"a": None}),
            after=({"a": 1, "b": "one"}, {"a": 7, "b": "many"}, {"a": None, "b": "none"}),
            types={"a": "int"},
        ),
        TransformExample(
            {"field": "a", "mapping": {1: "one", 2: None}},
            before=({"a": 1}, {"a": 2}, {"a": 3}),
            after=({"a": "one"}, {"a": None}, {"a": "3"}),
            types={"a": "int"},
        ),
    )

    def step(self, columns: Columns, links: Mapping[str, Columns]) -> Step:
        column = columns.visible.get(self.field)
        result_type = self._result_type(column)
        mapped = exp.Case()
        for value, replacement in self.mapping.items():
            mapped = mapped.when(_equals(column, value), literal(replacement, result_type))
        otherwise = literal(self.default, result_type) if self._has_default else _alike(column, result_type)
        output = self.output or column.name
        return project(columns, {output: mapped.else_(otherwise)}, {output: result_type})

    @property
    def _has_default(self) -> bool:
        # `default: null` is a default, too.
        return "default" in self.model_fields_set

    def _result_type(self, column: Column) -> exp.DataType:
        replacements = [*self.mapping.values(), *([self.default] if self._has_default else [])]
        common = common_type(replacements)
        if self._has_default or common == column.type:
            return common
        if is_unknown(common) or (is_number(common) and is_number(column.type)):
            return column.type
        return STRING


class Bin(Model):
    """A class of values: all of its conditions hold."""

    label: Scalar = Field(description="What a value of this class becomes.")
    lt: Scalar | None = Field(None, description="Below this.")
    lte: Scalar | None = Field(None, description="At most this.")
    gt: Scalar | None = Field(None, description="Above this.")
    gte: Scalar | None = Field(None, description="At least this.")
    eq: Scalar | None = Field(None, description="Exactly this.")

    @model_validator(mode="after")
    def _has_a_condition(self) -> Self:
        if all(getattr(self, name) is None for name in _COMPARISONS):
            raise ValueError("a bin needs lt, lte, gt, gte or eq; use default for all other values")
        return self

    def condition(self, column: Column) -> exp.Expr:
        """What a value of this class meets."""
        limits = {name: getattr(self, name) for name in _COMPARISONS}
        return all_of(
            *(
                _COMPARISONS[name](this=ref(column), expression=bound(limit, column.type))
                for name, limit in limits.items()
                if limit is not None
            )
        )


@transform("bucket")
class Bucket(Transform):
    """The label of the first bin that a value falls into; none gives the default, or NULL."""

    field: str = Field(description="The column for the label.")
    source: str = Field(description="The column whose value is classed.")
    bins: tuple[Bin, ...] = Field(description="The classes, the first match wins.", min_length=1)
    default: Scalar | None = Field(None, description="The label when no bin matches, NULL included.")

    examples: ClassVar[tuple[TransformExample, ...]] = (
        TransformExample(
            {
                "field": "size",
                "source": "n",
                "bins": [{"label": "small", "lt": 10}, {"label": "big", "gte": 10, "lt": 20}],
            },
            before=({"n": 9}, {"n": 10}, {"n": 20}, {"n": None}),
            after=(
                {"n": 9, "size": "small"},
                {"n": 10, "size": "big"},
                {"n": 20, "size": None},
                {"n": None, "size": None},
            ),
            types={"n": "int"},
        ),
        TransformExample(
            {"field": "n", "source": "n", "bins": [{"label": 1, "eq": 0}, {"label": 2, "gt": 0}], "default": -1},
            before=({"n": "0"}, {"n": "0.5"}, {"n": "zero"}, {"n": None}),
            after=({"n": 1}, {"n": 2}, {"n": -1}, {"n": -1}),
            types={"n": "string"},
        ),
    )

    def step(self, columns: Columns, links: Mapping[str, Columns]) -> Step:
        column = columns.visible.get(self.source)
        label_type = common_type([*(each.label for each in self.bins), self.default])
        label = exp.Case()
        for each in self.bins:
            label = label.when(each.condition(column), literal(each.label, label_type))
        return project(columns, {self.field: label.else_(literal(self.default, label_type))}, {self.field: label_type})


def common_type(values: Sequence[Scalar | None]) -> exp.DataType:
    """The type that holds all of these values; text where nothing else does."""
    kinds = {type(value) for value in values if value is not None}
    if not kinds:
        return UNKNOWN
    if kinds == {bool}:
        return BOOLEAN
    if kinds == {int}:
        return BIGINT
    return _DOUBLE if kinds <= {int, float} else STRING


def _equals(column: Column, value: Scalar | None) -> exp.Expr:
    if value is None:
        return is_null(ref(column))
    try:
        return exp.EQ(this=ref(column), expression=literal(value, column.type))
    except ContractError as error:
        raise ContractError(f"map_values of '{column.name}': {error.message}", cure=error.cure) from None


def _alike(column: Column, result_type: exp.DataType) -> exp.Expr:
    return as_text(ref(column), column.type) if result_type == STRING else ref(column)
