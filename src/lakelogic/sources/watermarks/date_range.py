"""`watermark_strategy: date_range`: the days from `from_date` to `to_date`, both included."""

from __future__ import annotations

from datetime import UTC, date, datetime, time, timedelta

from lakelogic.contract.source import Source
from lakelogic.contract.values import parse_date
from lakelogic.errors import ContractError
from lakelogic.plan.rows import RowWindow
from lakelogic.sources.files import Listing, SourceFile
from lakelogic.sources.partitions import DatedFolders
from lakelogic.sources.watermarks.base import Asked, Choice, Watermark, never_read, watermarks


@watermarks.add("date_range")
class DateRange(Watermark):
    """Reads rows whose `watermark_field` lies in the range, or files whose dated folder or time does."""

    def choose(self, asked: Asked) -> Choice:
        first, last = range_of(asked.source)
        told = f"the days from {first or 'the first'} to {last or 'the last'}"
        column = asked.source.watermark_field
        if column is not None:
            after = str(last + timedelta(days=1)) if last else None
            window = RowWindow(column, str(first) if first else None, after, True, last is None)
            return Choice(told, rows=window)
        files = asked.files("date_range")
        inside = within_days(asked.listing or Listing("", files), asked.source, first, last)
        new = never_read(inside, asked.past)
        return Choice(f"{told}: {len(inside)} files, {len(new)} of them not read before", new)


def range_of(source: Source) -> tuple[date | None, date | None]:
    """The first and the last day.

    Raises:
        ContractError: neither is given, or they are the wrong way round.
    """
    first = parse_date(source.from_date) if source.from_date else None
    last = parse_date(source.to_date) if source.to_date else None
    if first is None and last is None:
        raise ContractError("watermark_strategy date_range needs from_date or to_date.", cure="Add one of them.")
    if first and last and first > last:
        raise ContractError(f"from_date {first} is after to_date {last}.", cure="Exchange them.")
    return first, last


def within_days(listing: Listing, source: Source, first: date | None, last: date | None) -> tuple[SourceFile, ...]:
    """Files whose dated folder meets the days, or, without such folders, that were modified on one of them (UTC)."""
    if source.partition is not None and source.partition.format is not None:
        folders = DatedFolders(source.partition.format)
        return tuple(file for file in listing.files if folders.meets(listing.below(file), first, last))
    low = _start_ns(first) if first else None
    high = _start_ns(last + timedelta(days=1)) if last else None
    return tuple(
        file
        for file in listing.files
        if (low is None or file.modified_ns >= low) and (high is None or file.modified_ns < high)
    )


def _start_ns(day: date) -> int:
    began = datetime.combine(day, time(), UTC) - datetime(1970, 1, 1, tzinfo=UTC)
    return began // timedelta(microseconds=1) * 1000
