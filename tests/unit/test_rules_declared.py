"""Checks that follow from the model."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pytest
from sqlglot import exp

from lakelogic.rules import declared
from lakelogic.rules.base import Check, RowRule, row_rules
from lakelogic.sql.build import ref
from lakelogic.sql.render import to_spark
from lakelogic.sql.types import Columns, parse_type

COLUMNS = Columns.of(amount="double", status="string")


@dataclass(frozen=True)
class Bounds:
    min: Any = None
    max: Any = None


@dataclass(frozen=True)
class Field:
    name: str
    accepted_values: tuple[Any, ...] | None = None
    min: Any = None
    max: Any = None
    range: Bounds | None = None
    max_length: int | None = None
    rules: tuple[RowRule, ...] = ()


def told(check: Check) -> tuple[str, str, str]:
    return check.name, check.message, check.category


def test_a_required_field_is_told_as_the_home_page_prints_it() -> None:
    check = declared.required_check("email")
    assert told(check) == ("email_required", "Rule failed: email is required", "completeness")
    assert to_spark(check.predicate, Columns.of("email")) == "NOT `email` IS NULL"


def test_a_required_field_may_be_judged_by_what_was_read() -> None:
    check = declared.required_check("n", ref("as read"))
    assert to_spark(check.predicate, Columns.of("n", "as read")) == "NOT `as read` IS NULL"


def test_a_value_lost_in_its_cast_is_a_type_mismatch() -> None:
    check = declared.type_check("amount", ref("text"), ref("amount"), parse_type("double"))
    assert told(check) == ("amount_type", "Type mismatch: amount cannot be cast to double", "validity")
    assert to_spark(check.predicate, Columns.of("amount", "text")) == "`text` IS NULL OR NOT `amount` IS NULL"


def test_unknown_fields_are_listed() -> None:
    check = declared.unknown_fields_check(["extra", "more"])
    assert told(check) == ("unknown_fields", "Unknown fields present: extra, more", "schema")
    assert to_spark(check.predicate, Columns.of("extra", "more")) == "`extra` IS NULL AND `more` IS NULL"


def test_a_malformed_record_is_a_matter_of_schema() -> None:
    check = declared.malformed_check(ref("raw"), "the line has 3 values")
    assert told(check) == ("malformed_record", "Malformed record: the line has 3 values", "schema")
    assert isinstance(check.predicate, exp.Is)


@pytest.mark.parametrize(
    ("field", "names"),
    [
        (Field("amount"), []),
        (Field("amount", min=0, max=5), ["amount_range"]),
        (Field("amount", min=0, range=Bounds(max=5)), ["amount_range", "amount_range"]),
        (Field("status", accepted_values=("a", None), max_length=3), ["status_accepted_values", "status_max_length"]),
        (
            Field("status", max_length=3, rules=(row_rules.get("not_null").model_validate({"field": "amount"}),)),
            ["status_max_length", "amount_not_null"],
        ),
    ],
)
def test_what_stands_beside_a_field_becomes_row_rules(field: Field, names: list[str]) -> None:
    rules = declared.field_rules(field)
    assert [check.name for rule in rules for check in rule.checks(COLUMNS)] == names
