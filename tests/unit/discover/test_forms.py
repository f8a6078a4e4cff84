"""The type that holds every value of a column."""

from __future__ import annotations

import re
from collections.abc import Sequence

import pytest

from lakelogic.discover import forms as f
from lakelogic.engines.profiling import Facts, Form


def _facts(values: Sequence[str], forms: Sequence[Form]) -> Facts:
    """What a look at all values tells, as far as patterns go."""
    written = {form.name: sum(bool(re.fullmatch(form.pattern, value)) for value in values) for form in forms}
    numbers = [float(value) for value in values if any(re.fullmatch(form.pattern, value) for form in f.NUMBERS)]
    scale = max((len(value.partition(".")[2]) for value in values), default=0)
    low, high = (min(numbers), max(numbers)) if numbers else (None, None)
    return Facts(len(values), len(set(values)), written, low, high, scale=scale)


def _type(name: str, *values: str) -> f.Typed:
    forms = f.possible_forms(name, values)
    return f.type_of(name, _facts(values, forms), forms)


@pytest.mark.parametrize(
    ("name", "values", "expected"),
    [
        ("n", ("1", "-20", "0"), "int"),
        ("n", ("1", "3000000000"), "bigint"),
        ("n", ("007", "12"), "string"),
        ("n", ("+49",), "string"),
        ("customer_id", ("1", "2"), "string"),
        ("postcode", ("12345",), "string"),
        ("amount", ("12.50", "7"), "decimal(12,2)"),
        ("amount", ("123456789012.50",), "decimal(18,2)"),
        ("x", ("0.12345678",), "double"),
        ("x", ("1e5", "2.5"), "double"),
        ("x", ("true", "False"), "boolean"),
        ("x", ("yes", "no"), "boolean"),
        ("d", ("2026-02-01", "9999-12-31"), "date"),
        ("t", ("2026-02-01 10:00:00", "2026-02-01T10:00:00.5Z"), "timestamp"),
        ("s", ("a", "1"), "string"),
    ],
)
def test_the_narrowest_type_that_holds_all_values(name: str, values: tuple[str, ...], expected: str) -> None:
    assert _type(name, *values).type == expected


def test_dates_in_other_forms_come_with_their_format() -> None:
    assert (_type("d", "31.12.2026").type, _type("d", "31.12.2026").format) == ("date", "dd.MM.yyyy")
    assert _type("d", "12/31/2026").format == "MM/dd/yyyy"
    assert _type("d", "31/12/2026").format == "dd/MM/yyyy"
    assert "MM/dd/yyyy would fit too" in _type("d", "01/02/2026").reason
    assert _type("birth_date", "20260201").format == "yyyyMMdd"
    assert _type("quantity", "20260201").type == "int"


def test_a_few_odd_values_make_text_and_leave_a_hint() -> None:
    values = ["1.50"] * 9 + ["n.n."]
    forms = f.possible_forms("amount", values)
    facts = _facts(values, forms)
    found, nearly = f.type_of("amount", facts, forms), f.nearly("amount", facts, forms)
    assert (found.type, found.reason) == ("string", "10 values, mixed: 9 decimal, 1 other text")
    assert nearly is not None
    assert nearly.type.startswith("decimal")
