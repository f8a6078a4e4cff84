"""Lengths of time, dates, shares and names mean what a reader expects."""

from __future__ import annotations

from datetime import date, timedelta

import pytest

from lakelogic.contract.naming import is_table_name
from lakelogic.contract.values import parse_date, parse_duration, parse_ratio


@pytest.mark.parametrize(
    ("text", "length"),
    [
        ("24h", timedelta(hours=24)),
        ("7 days", timedelta(days=7)),
        ("1 day", timedelta(days=1)),
        ("90 Minutes", timedelta(minutes=90)),
        ("1.5h", timedelta(minutes=90)),
        ("2w", timedelta(weeks=2)),
        ("30s", timedelta(seconds=30)),
    ],
)
def test_a_duration_is_a_number_with_a_unit(text: str, length: timedelta) -> None:
    assert parse_duration(text) == length


@pytest.mark.parametrize("text", ["", "24", "h", "24 fortnights", "-1h", "1h 30m", "9" * 400 + "h"])
def test_anything_else_is_no_duration(text: str) -> None:
    with pytest.raises(ValueError, match=r"must be a number with a unit|is too long"):
        parse_duration(text)


def test_a_date_may_carry_a_time() -> None:
    assert parse_date("2026-02-01") == parse_date("2026-02-01T10:00:00+00:00") == date(2026, 2, 1)
    with pytest.raises(ValueError, match="must be a date"):
        parse_date("2026-02-30")


def test_a_share_may_be_a_percentage() -> None:
    assert parse_ratio("5%") == parse_ratio("0.05") == 0.05
    with pytest.raises(ValueError, match="must be a share"):
        parse_ratio("five")


@pytest.mark.parametrize(
    "text",
    ["silver.customers", "c.silver.customers", "w.lake.silver.customers", "`my c`.s.t", "{catalog}.silver.customers"],
)
def test_catalog_names_are_told_from_paths(text: str) -> None:
    assert is_table_name(text)


@pytest.mark.parametrize(
    "text",
    ["customers", "silver/customers", "customers.parquet", "data.csv.gz", "s3://a/b.c", "./a.b", "a.b.c.d.e", "a.", ""],
)
def test_paths_are_told_from_catalog_names(text: str) -> None:
    assert not is_table_name(text)
