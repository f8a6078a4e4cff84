"""Checks that follow from what the model declares: required, typed, known and well-formed values."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from sqlglot import exp

from lakelogic.rules.base import Check, RowRule
from lakelogic.rules.validity import AcceptedValues, MaxLength, Range
from lakelogic.sql.build import Scalar, all_of, any_of, has_value, is_null, ref
from lakelogic.sql.types import type_name


class Bounds(Protocol):
    """The lowest and the highest value that a field may have."""

    @property
    def min(self) -> Scalar | None: ...
    @property
    def max(self) -> Scalar | None: ...


class DeclaredField(Protocol):
    """What a field of the model says about its values."""

    @property
    def name(self) -> str: ...
    @property
    def accepted_values(self) -> Sequence[Scalar | None] | None: ...
    @property
    def min(self) -> Scalar | None: ...
    @property
    def max(self) -> Scalar | None: ...
    @property
    def range(self) -> Bounds | None: ...
    @property
    def max_length(self) -> int | None: ...
    @property
    def rules(self) -> Sequence[RowRule]: ...


def required_check(field: str, value: exp.Expr | None = None) -> Check:
    """The field has a value; `value` is what was read for it, where the column itself has been cast since."""
    return Check(
        name=f"{field}_required",
        predicate=has_value(value or ref(field)),
        message=f"Rule failed: {field} is required",
        category="completeness",
    )


def type_check(field: str, read: exp.Expr, cast: exp.Expr, target: exp.DataType) -> Check:
    """A value that was read is still there after its cast."""
    return Check(
        name=f"{field}_type",
        predicate=kept_by_cast(read, cast),
        message=f"Type mismatch: {field} cannot be cast to {type_name(target)}",
        category="validity",
    )


def kept_by_cast(read: exp.Expr, cast: exp.Expr) -> exp.Expr:
    """Whether a value is NULL only if it was NULL before its cast."""
    return any_of(is_null(read), has_value(cast))


def unknown_fields_check(fields: Sequence[str]) -> Check:
    """The row has no value in columns that the model does not declare."""
    return Check(
        name="unknown_fields",
        predicate=all_of(*(is_null(ref(field)) for field in fields)),
        message=f"Unknown fields present: {', '.join(fields)}",
        category="schema",
    )


def malformed_check(raw: exp.Expr, reason: str) -> Check:
    """The record could be read; `raw` holds the text of one that could not."""
    return Check(
        name="malformed_record", predicate=is_null(raw), message=f"Malformed record: {reason}", category="schema"
    )


def field_rules(field: DeclaredField) -> tuple[RowRule, ...]:
    """The rules that stand beside a field in the model, as the row rules they mean."""
    rules: list[RowRule] = []
    if field.accepted_values:
        rules.append(AcceptedValues.model_validate({"field": field.name, "values": field.accepted_values}))
    if field.min is not None or field.max is not None:
        rules.append(_range(field.name, field.min, field.max))
    if field.range is not None:
        rules.append(_range(field.name, field.range.min, field.range.max))
    if field.max_length is not None:
        rules.append(MaxLength.model_validate({"field": field.name, "max": field.max_length}))
    return (*rules, *field.rules)


def _range(field: str, low: Scalar | None, high: Scalar | None) -> Range:
    return Range.model_validate({"field": field, "min": low, "max": high})
