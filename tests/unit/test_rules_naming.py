"""Names of rules that were given none."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lakelogic.rules.naming import slug, unique_names


@pytest.mark.parametrize(
    ("sql", "name"),
    [
        ("email LIKE '%@%.%'", "email_like"),
        ("amount > 0", "amount_gt_0"),
        ("a <> b AND c <= 5", "a_ne_b_and_c_lte_5"),
        ("status IN ('new', 'it''s')", "status_in"),
        ("`Order Id` IS NOT NULL", "order_id_is_not_null"),
        ("length(größe) = 2", "length_größe_eq_2"),
        ("'a' = 'b'", "eq"),
        ("''", "rule"),
    ],
)
def test_a_slug_reads_like_its_sql(sql: str, name: str) -> None:
    assert slug(sql) == name


@given(st.text())
def test_a_slug_is_always_a_short_word(sql: str) -> None:
    name = slug(sql)
    assert re.fullmatch(r"\w+", name)
    assert len(name) <= 48


def test_names_that_repeat_are_numbered() -> None:
    assert unique_names(["a", "b", "a", "A", "a_2"]) == ["a", "b", "a_3", "A_4", "a_2"]


@given(st.lists(st.sampled_from(["a", "A", "a_2", "a_3", "b"])))
def test_unique_names_are_unique_and_keep_the_first_of_each(names: list[str]) -> None:
    made = unique_names(names)
    assert len({name.lower() for name in made}) == len(names)
    for position, name in enumerate(names):
        if name.lower() not in {earlier.lower() for earlier in names[:position]}:
            assert made[position] == name
