"""LIKE with several parts, as positions."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sqlglot import exp, parse_one

from lakelogic.sql.like import found_in_turn
from lakelogic.sql.plain import PlainSpark

TEXTS = st.text(alphabet="ab%@.é🙂\n", max_size=12)


@pytest.mark.parametrize("pattern", ["%a%", "a%b%", "%a%b", "%a_%b%", "%a\\\\%%b%", "a", "%", ""])
def test_what_spark_does_well_or_positions_cannot_tell_is_left_alone(pattern: str) -> None:
    node = parse_one(f"x LIKE '{pattern}'", read=PlainSpark)
    assert found_in_turn(node) is node


def test_the_parts_are_looked_for_in_turn() -> None:
    node = parse_one("x LIKE '%@%.%'", read=PlainSpark)
    assert found_in_turn(node).sql(PlainSpark) == (
        "(LOCATE('@', x) > 0 AND LOCATE('.', x, COALESCE(LOCATE('@', x) + 1, 1)) > 0)"
    )


@given(text=TEXTS, parts=st.lists(st.text(alphabet="ab@.é🙂", min_size=1, max_size=3), min_size=2, max_size=4))
def test_positions_tell_what_the_pattern_tells(text: str, parts: list[str]) -> None:
    pattern = "%" + "%".join(parts) + "%"
    tree = found_in_turn(exp.Like(this=exp.column("x"), expression=exp.Literal.string(pattern)))
    expected = re.fullmatch(".*" + ".*".join(map(re.escape, parts)) + ".*", text, re.DOTALL) is not None
    assert _holds(tree, text) == expected


def _holds(node: exp.Expr, text: str) -> bool:
    """The tree's answer for a text, as Spark's LOCATE counts: characters from 1, and 0 for not found."""
    match node:
        case exp.Paren():
            return _holds(node.this, text)
        case exp.And():
            return _holds(node.left, text) and _holds(node.right, text)
        case exp.GT():
            return _place(node.this, text) > 0
    raise AssertionError(node)


def _place(node: exp.Expr, text: str) -> int:
    if isinstance(node, exp.Coalesce):
        return _place(node.this, text)
    if isinstance(node, exp.Add):
        return _place(node.left, text) + int(node.right.name)
    part, _, *begin = node.expressions
    return text.find(part.name, _place(begin[0], text) - 1 if begin else 0) + 1
