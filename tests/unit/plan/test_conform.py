"""Declared types: what is cast, and which casts may fail."""

from __future__ import annotations

import pytest

from lakelogic.plan.conform import conform, declared
from lakelogic.sql.types import Column, Columns, parse_type


@pytest.mark.parametrize(
    ("read", "wanted", "may_fail"),
    [
        ("date", "timestamp", False),
        ("timestamp_ntz", "timestamp", False),
        ("timestamp", "timestamp_ntz", False),
        ("int", "bigint", False),
        ("bigint", "int", True),
        ("string", "timestamp", True),
        ("double", "string", False),
    ],
)
def test_only_a_cast_that_may_fail_is_checked(read: str, wanted: str, may_fail: bool) -> None:
    columns = Columns((Column("value", parse_type(read)),))
    conformed = conform(columns, declared([("value", wanted)]))
    assert conformed.fallible == (("value",) if may_fail else ())


def test_a_column_of_the_declared_type_is_left_alone() -> None:
    columns = Columns((Column("value", parse_type("timestamp")),))
    assert conform(columns, declared([("value", "timestamp")])).step is None
