"""How values, numbers, times and places read."""

from __future__ import annotations

import unicodedata
from datetime import UTC, date, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lakelogic.wording import (
    cell,
    counted,
    measured,
    number,
    one_line,
    rounded,
    seconds,
    share,
    shortened,
    size,
)


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (None, "null"),
        (True, "true"),
        ("C102", "C102"),
        (["correctness"], '["correctness"]'),
        (["Rule failed: email LIKE '%@%.%'"], "[\"Rule failed: email LIKE '%@%.%'\"]"),
        ({"a": None}, '{"a": null}'),
        ("enc:a1F3bG9nZ2VkQGV4dGVybmFs", "enc:a1F3bG9nZ2VkQGV4..."),
        (b"\x00\x01", "2 bytes"),
        (date(2026, 3, 28), "2026-03-28"),
        (datetime(2026, 3, 28, 12, 0, 1, tzinfo=UTC), "2026-03-28 12:00:01+00:00"),
        ("two\nlines\tand \x1b[31mred", "two\\nlines\\tand \\x1b[31mred"),
    ],
)
def test_a_value_reads_as_the_home_page_prints_it(value: object, shown: str) -> None:
    assert cell(value) == shown


@given(st.text())
def test_no_text_can_move_the_cursor_or_turn_the_line_around(text: str) -> None:
    shown = one_line(text)
    assert not any(unicodedata.category(character) in ("Cc", "Zl", "Zp") for character in shown)
    assert not any(unicodedata.bidirectional(character) in ("RLO", "LRO", "RLE", "LRE") for character in shown)


@pytest.mark.parametrize(
    ("part", "whole", "shown"),
    [
        (1, 4, "25.0%"),
        (0, 4, "0.0%"),
        (4, 4, "100.0%"),
        (1, 10_000_000, "<0.1%"),
        (9_999_999, 10_000_000, ">99.9%"),
        (0, 0, "0.0%"),
        (None, 4, "unknown"),
        (1, None, "unknown"),
    ],
)
def test_a_share_never_reads_as_none_or_all_when_it_is_not(part: int | None, whole: int | None, shown: str) -> None:
    assert share(part, whole) == shown


@pytest.mark.parametrize(
    ("duration", "shown"),
    [(0.04, "0.0 s"), (12.44, "12.4 s"), (59.9, "59.9 s"), (185, "3 min 05 s"), (3 * 3600 + 125, "3 h 02 min")],
)
def test_a_duration_has_the_units_of_its_length(duration: float, shown: str) -> None:
    assert seconds(duration) == shown


@pytest.mark.parametrize(
    ("octets", "shown"),
    [(0, "0 B"), (162, "162 B"), (1234, "1.2 kB"), (999_999, "1.0 MB"), (150_000_000, "150 MB"), (4e18, "4,000 PB")],
)
def test_a_size_has_the_unit_of_its_magnitude(octets: int, shown: str) -> None:
    assert size(int(octets)) == shown


def test_a_count_that_is_not_known_says_so() -> None:
    assert (number(None), number(0), number(1234567)) == ("unknown", "0", "1,234,567")
    assert (counted(1, "row"), counted(2, "row"), counted(None, "row")) == ("1 row", "2 rows", "unknown rows")
    assert (measured(None), measured(3.0), measured(0.123456789)) == ("unknown", "3", "0.123457")


@pytest.mark.parametrize(
    ("count", "shown"),
    [
        (None, "unknown"),
        (9_999, "9,999"),
        (10_000, "10.0k"),
        (999_960, "1.0M"),
        (1_250_000, "1.2M"),
        (7 * 10**9, "7.0G"),
    ],
)
def test_a_rounded_count_is_short(count: int | None, shown: str) -> None:
    assert rounded(count) == shown


def test_a_long_path_keeps_its_beginning_and_its_last_part() -> None:
    short = shortened("/data/lake/bronze/events/2026/03/28/part-00000.parquet", 32)
    assert short == "/data/lake/b…/part-00000.parquet"


@given(st.text(min_size=1, max_size=200), st.integers(min_value=1, max_value=120))
def test_a_shortened_text_fits_and_a_short_one_stays(text: str, width: int) -> None:
    short = shortened(text, width)
    assert len(short) <= width
    assert short == text or (len(text) > width and "…" in short)
