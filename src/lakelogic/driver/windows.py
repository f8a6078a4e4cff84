"""Windows: the dates that a run of the driver is about, and the windows of a backfill."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Literal, get_args

from lakelogic.contract.values import parse_date
from lakelogic.errors import UsageError, did_you_mean
from lakelogic.sources.days import Days

WindowKind = Literal["last_success", "range", "yesterday", "none"]
Granularity = Literal["day", "week", "month"]


@dataclass(frozen=True)
class Window:
    """What a run is about: what is new since the last success, certain days (both included), or whatever is there.

    `again` means that these days are processed once more.
    """

    kind: str = "last_success"
    start: date | None = None
    end: date | None = None
    again: bool = False

    @property
    def label(self) -> str:
        """The window in one word, as the summary and the state file name it."""
        return self.kind if self.start is None else f"{self.start} to {self.end}"

    @property
    def days(self) -> Days | None:
        """The days whose new data is read; None where nothing is left out, or is processed again."""
        return Days(self.start, self.end) if self.start and self.end and not self.again else None

    @property
    def asks_upstreams(self) -> bool:
        """Whether upstreams must have succeeded before."""
        return self.kind == "last_success"


@dataclass(frozen=True)
class Dates:
    """The dates of the command line, as they were written."""

    window: str | None = None
    window_start: str | None = None
    window_end: str | None = None
    backfill_start: str | None = None
    backfill_end: str | None = None
    backfill_granularity: str = "day"
    reprocess_start: str | None = None
    reprocess_end: str | None = None


def windows_of(dates: Dates, today: date) -> tuple[Window, ...]:
    """The windows that the command line asks for, in order.

    Raises:
        UsageError: they contradict each other, are no dates, or end before they begin.
    """
    asked = [
        name
        for name, given in (
            ("--window", dates.window),
            ("--backfill-start-date", dates.backfill_start or dates.backfill_end),
            ("--reprocess-start-date", dates.reprocess_start or dates.reprocess_end),
        )
        if given
    ]
    if len(asked) > 1:
        raise UsageError(f"{' and '.join(asked)} are given.", cure="Give one of them.")
    if dates.backfill_start or dates.backfill_end:
        first, last = _span(dates.backfill_start, dates.backfill_end, "backfill")
        pieces = _pieces(first, last, dates.backfill_granularity)
        return tuple(Window("backfill", start, end) for start, end in pieces)
    if dates.reprocess_start or dates.reprocess_end:
        first, last = _span(dates.reprocess_start, dates.reprocess_end, "reprocess")
        return (Window("reprocess", first, last, again=True),)
    return (_window(dates, today),)


def _window(dates: Dates, today: date) -> Window:
    kind = dates.window or "last_success"
    if kind not in get_args(WindowKind):
        raise UsageError(f"--window {kind} is unknown.", cure=did_you_mean(kind, get_args(WindowKind)))
    if kind == "range":
        return Window(kind, *_span(dates.window_start, dates.window_end, "window"))
    if dates.window_start or dates.window_end:
        raise UsageError(f"dates are given, and --window is {kind}.", cure="Add --window range.")
    if kind == "yesterday":
        day = today - timedelta(days=1)
        return Window(kind, day, day)
    return Window(kind)


def _span(start: str | None, end: str | None, what: str) -> tuple[date, date]:
    if start is None or end is None:
        missing = f"--{what}-{'start' if start is None else 'end'}-date"
        raise UsageError(f"{missing} is missing.", cure="Give both dates; both days are included.")
    first, last = _date(start, f"--{what}-start-date"), _date(end, f"--{what}-end-date")
    if last < first:
        raise UsageError(f"the {what} ends on {last}, before it begins on {first}.", cure="Swap the dates.")
    return first, last


def _date(text: str, option: str) -> date:
    try:
        return parse_date(text)
    except ValueError as error:
        raise UsageError(f"{option} {error}.") from None


def _pieces(first: date, last: date, granularity: str) -> Iterator[tuple[date, date]]:
    """Days, weeks that begin like the backfill, or calendar months; together they are the whole span."""
    if granularity not in get_args(Granularity):
        cure = did_you_mean(granularity, get_args(Granularity))
        raise UsageError(f"--backfill-granularity {granularity} is unknown.", cure=cure)
    start = first
    while start <= last:
        end = min(_end(start, granularity), last)
        yield start, end
        start = end + timedelta(days=1)


def _end(start: date, granularity: str) -> date:
    if granularity == "month":
        return (start.replace(day=1) + timedelta(days=32)).replace(day=1) - timedelta(days=1)
    return start + timedelta(days=6 if granularity == "week" else 0)
