"""Dates of the command line become windows that cover every day once."""

from __future__ import annotations

from datetime import date, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from lakelogic.driver.windows import Dates, Window, windows_of
from lakelogic.errors import UsageError

TODAY = date(2026, 3, 1)


def test_without_a_word_it_is_what_is_new_since_the_last_success() -> None:
    assert windows_of(Dates(), TODAY) == (Window("last_success"),)


def test_both_days_of_a_range_are_included() -> None:
    (window,) = windows_of(Dates("range", "2026-02-01", "2026-02-05"), TODAY)
    assert (window.start, window.end) == (date(2026, 2, 1), date(2026, 2, 5))


def test_yesterday_is_one_day() -> None:
    (window,) = windows_of(Dates("yesterday"), TODAY)
    assert (window.start, window.end) == (date(2026, 2, 28), date(2026, 2, 28))


@pytest.mark.parametrize(
    ("granularity", "expected"),
    [
        ("day", ["2026-01-30 to 2026-01-30", "2026-01-31 to 2026-01-31", "2026-02-01 to 2026-02-01"]),
        ("week", ["2026-01-30 to 2026-02-01"]),
        ("month", ["2026-01-30 to 2026-01-31", "2026-02-01 to 2026-02-01"]),
    ],
)
def test_a_backfill_has_a_window_for_each_piece(granularity: str, expected: list[str]) -> None:
    asked = Dates(backfill_start="2026-01-30", backfill_end="2026-02-01", backfill_granularity=granularity)
    assert [window.label for window in windows_of(asked, TODAY)] == expected


@given(st.dates(date(1999, 1, 1), date(2100, 1, 1)), st.integers(0, 400), st.sampled_from(["day", "week", "month"]))
def test_the_windows_of_a_backfill_cover_each_day_once(first: date, days: int, granularity: str) -> None:
    last = first + timedelta(days=days)
    asked = Dates(backfill_start=str(first), backfill_end=str(last), backfill_granularity=granularity)
    covered = [
        window.start + timedelta(days=number)
        for window in windows_of(asked, TODAY)
        if window.start and window.end
        for number in range((window.end - window.start).days + 1)
    ]
    assert covered == [first + timedelta(days=number) for number in range(days + 1)]


@pytest.mark.parametrize(
    ("dates", "told"),
    [
        (Dates("bogus"), "--window bogus is unknown. Known: last_success, none, range, yesterday."),
        (Dates("last_succes"), "--window last_succes is unknown. Did you mean 'last_success'?"),
        (Dates("range", "2026-02-05", "2026-02-01"), "ends on 2026-02-01, before it begins on 2026-02-05"),
        (Dates("range", "2026-02-05"), "--window-end-date is missing"),
        (Dates("range", "x", "2026-02-01"), "--window-start-date must be a date"),
        (Dates(None, "2026-02-01", "2026-02-02"), "Add --window range"),
        (Dates("none", backfill_start="2026-02-01", backfill_end="2026-02-02"), "Give one of them"),
        (
            Dates(backfill_start="2026-02-01", backfill_end="2026-02-02", backfill_granularity="hour"),
            "--backfill-granularity hour is unknown",
        ),
    ],
)
def test_dates_that_make_no_sense_are_told_with_the_cure(dates: Dates, told: str) -> None:
    with pytest.raises(UsageError) as caught:
        windows_of(dates, TODAY)
    assert told in str(caught.value)
