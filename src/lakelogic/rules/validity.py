"""Rules about the form and the range of a value."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from decimal import Decimal
from typing import ClassVar, Self

from pydantic import AliasChoices, Field, field_validator, model_validator
from sqlglot import exp

from lakelogic.rules.base import RowRule, RuleExample, bounds_raised, row_rule
from lakelogic.sql.build import Scalar, all_of, any_of, bound, is_null, literal, readable, ref
from lakelogic.sql.convert import as_text
from lakelogic.sql.regular_expressions import broken
from lakelogic.sql.types import Column, Columns


class ColumnRule(RowRule):
    """A rule about the value of one column."""

    field: str = Field(description="The column.")

    default_category: ClassVar[str] = "validity"

    def predicates(self, columns: Columns) -> Mapping[str, exp.Expr]:
        column = columns.visible.get(self.field)
        return {f"{column.name}_{self.kind}": self.predicate(column)}

    @abstractmethod
    def predicate(self, column: Column) -> exp.Expr:
        """What a good value meets."""


@row_rule("accepted_values")
class AcceptedValues(ColumnRule):
    """The value is one of a list; NULL is accepted only if the list has it."""

    values: tuple[Scalar | None, ...] = Field(description="The values that are accepted.", min_length=1)

    examples: ClassVar[tuple[RuleExample, ...]] = (
        RuleExample({"field": "value", "values": ["new", "paid"]}, passes=("new",), fails=("NEW", "", None)),
        RuleExample({"field": "value", "values": [1, 2]}, column_type="int", passes=(1,), fails=(3, None)),
        RuleExample({"field": "value", "values": [1, True]}, passes=("1", "true"), fails=("01", "1.0", None)),
        RuleExample({"field": "value", "values": ["it's", None]}, passes=("it's", None), fails=("its",)),
    )

    def predicate(self, column: Column) -> exp.Expr:
        listed = [literal(value, column.type) for value in self.values if value is not None]
        choices: list[exp.Expr] = [exp.In(this=ref(column), expressions=listed)] if listed else []
        if None in self.values:
            choices.append(is_null(ref(column)))
        return any_of(*choices)

    def refuses_more_than(self, before: Self) -> bool | None:
        return any(value not in self.values for value in before.values)


@row_rule("regex_match")
class RegexMatch(ColumnRule):
    """The pattern is found in the value; anchor it with ^ and $ to match all of it."""

    pattern: str = Field(description="A regular expression, as Spark's RLIKE reads it.")

    examples: ClassVar[tuple[RuleExample, ...]] = (
        RuleExample({"field": "value", "pattern": r"^[A-Z]{2}\d+$"}, passes=("AB1",), fails=("ab1", "AB", "", None)),
        RuleExample({"field": "value", "pattern": "b"}, passes=("abc",), fails=("ac", None)),
        RuleExample({"field": "value", "pattern": r"^[A-ZÖ]'\.\"?$"}, passes=("Ö'.", "Ö'.\""), fails=("ö'.", "Ö'x")),
        RuleExample({"field": "value", "pattern": "^1[0-9]$"}, column_type="int", passes=(10, 19), fails=(9, None)),
    )

    @field_validator("pattern")
    @classmethod
    def _compiles(cls, pattern: str) -> str:
        if reason := broken(pattern):
            raise ValueError(f"the pattern {pattern!r} is no regular expression: {reason}")
        return pattern

    def predicate(self, column: Column) -> exp.Expr:
        return exp.RegexpLike(this=as_text(ref(column), column.type), expression=exp.Literal.string(self.pattern))


@row_rule("range")
class Range(ColumnRule):
    """The value lies between two bounds, or on one side of one."""

    min: Scalar | None = Field(None, description="The lower bound.")
    max: Scalar | None = Field(None, description="The upper bound.")
    inclusive: bool = Field(True, description="Whether the bounds themselves pass.")

    examples: ClassVar[tuple[RuleExample, ...]] = (
        RuleExample({"field": "value", "min": 1, "max": 5}, column_type="int", passes=(1, 5), fails=(0, 6, None)),
        RuleExample(
            {"field": "value", "min": 0, "inclusive": False},
            column_type="double",
            passes=(0.1,),
            fails=(0.0, -1.0, None),
        ),
        RuleExample({"field": "value", "max": 9}, passes=("8.5", " 9 "), fails=("9.1", "10", "nine", "", None)),
        RuleExample({"field": "value", "min": "b", "max": "d"}, passes=("b", "cc"), fails=("a", "dd", None)),
        RuleExample(
            {"field": "value", "min": -1.5, "max": -0.5},
            column_type="decimal(4,2)",
            passes=(Decimal("-1.50"),),
            fails=(Decimal("0.00"), None),
        ),
    )

    @model_validator(mode="after")
    def _has_bounds(self) -> Self:
        if self.min is None and self.max is None:
            raise ValueError("range needs min or max")
        numbers = [value for value in (self.min, self.max) if isinstance(value, (int, float))]
        if len(numbers) == 2 and numbers[0] > numbers[1]:
            raise ValueError("range needs min to be no more than max")
        return self

    def predicate(self, column: Column) -> exp.Expr:
        at_least, at_most = (exp.GTE, exp.LTE) if self.inclusive else (exp.GT, exp.LT)
        sides: list[exp.Expr] = []
        if self.min is not None:
            sides.append(at_least(this=ref(column), expression=bound(self.min, column.type)))
        if self.max is not None:
            sides.append(at_most(this=ref(column), expression=bound(self.max, column.type)))
        return all_of(*sides)

    def refuses_more_than(self, before: Self) -> bool | None:
        if before.inclusive and not self.inclusive:
            return True
        return bounds_raised(self.min, self.max, before.min, before.max)


@row_rule("max_length")
class MaxLength(ColumnRule):
    """The text has at most this many characters; NULL passes."""

    max: int = Field(
        description="The largest number of characters.", ge=0, validation_alias=AliasChoices("max", "max_length")
    )

    examples: ClassVar[tuple[RuleExample, ...]] = (
        RuleExample({"field": "value", "max": 3}, passes=("abc", "", "äöü", None), fails=("abcd",)),
        RuleExample({"field": "value", "max": 0}, passes=("", None), fails=(" ",)),
        RuleExample({"field": "value", "max": 2}, column_type="int", passes=(10, -1, None), fails=(100,)),
    )

    def predicate(self, column: Column) -> exp.Expr:
        return any_of(is_null(ref(column)), self._short_enough(column))

    def condition(self, predicate: exp.Expr) -> str:
        return readable(predicate.expression)

    def _short_enough(self, column: Column) -> exp.Expr:
        length = exp.Length(this=as_text(ref(column), column.type))
        return exp.LTE(this=length, expression=exp.Literal.number(self.max))

    def refuses_more_than(self, before: Self) -> bool | None:
        return self.max < before.max
