"""Folders that tell what is in them: dated ones by a format, and `column=value` ones by their values."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from fnmatch import fnmatchcase
from functools import lru_cache

from lakelogic.contract.source import PartitionWindow, Source
from lakelogic.contract.values import parse_date
from lakelogic.errors import ContractError, SourceError, did_you_mean
from lakelogic.sources.files import Listing, SourceFile

_PARTS = {"Y": r"\d{4}", "m": r"\d{2}", "d": r"\d{2}", "j": r"\d{3}", "H": r"\d{2}", "M": r"\d{2}", "S": r"\d{2}"}
# From the finest on; months and years have no length of their own.
_LENGTHS = {
    "S": timedelta(seconds=1),
    "M": timedelta(minutes=1),
    "H": timedelta(hours=1),
    "d": timedelta(days=1),
    "j": timedelta(days=1),
}
_CODE = re.compile(r"%(.)")


class DatedFolders:
    """Folders or files whose names hold a date in a given form, such as `year=%Y/month=%m`."""

    def __init__(self, form: str) -> None:
        """
        Raises:
            ContractError: the form has a part that is not known, or no year.
        """
        codes = _CODE.findall(form)
        if unknown := next((code for code in codes if code not in _PARTS), None):
            raise ContractError(
                f"partition.format '{form}' has %{unknown}, which is not known.",
                cure=f"Known: {', '.join('%' + code for code in _PARTS)}.",
            )
        if "Y" not in codes or len(set(codes)) != len(codes):
            raise ContractError(f"partition.format '{form}' must have %Y, and each part once.", cure="Write %Y/%m/%d.")
        self._codes = codes
        literal = [re.escape(text) for text in _CODE.split(form)[::2]]
        groups = [f"({_PARTS[code]})" for code in codes]
        pattern = "".join(text + group for text, group in zip(literal, [*groups, ""], strict=True))
        self._pattern = re.compile(rf"(?<!\d){pattern}(?!\d)")

    def period(self, path: str) -> tuple[datetime, datetime] | None:
        """From when until when, by its name, a file's data is; None where its name tells nothing."""
        return _period(self._pattern, "".join(self._codes), path)

    def meets(self, path: str, first: date | None, last: date | None) -> bool:
        """Whether a file's period shares an instant with the days from `first` to `last`."""
        if (found := self.period(path)) is None:
            return False
        began, ended = found
        return (first is None or ended > midnight(first)) and (
            last is None or began < midnight(last + timedelta(days=1))
        )


def narrowed(listing: Listing, source: Source, today: date) -> tuple[Listing, str]:
    """The files that `partition` and `partition_filters` leave, and what was left out, in words.

    Raises:
        SourceError: a filter names no folder of the source.
    """
    kept = listing.files
    said = ""
    if source.partition is not None:
        kept, undated = _dated(listing, source.partition, today)
        said = f"; {undated} files are in no folder of the form {source.partition.format}" if undated else ""
    if source.partition_filters:
        kept = _with_values(replace(listing, files=kept), source.partition_filters)
    return replace(listing, files=kept), said


def days_of(window: PartitionWindow, today: date) -> tuple[date | None, date | None]:
    """The first and the last day; without an end, folders of days to come belong to it."""
    last = parse_date(window.end_date) if window.end_date else None
    if window.start_date:
        return parse_date(window.start_date), last
    if window.lookback_days is not None:
        return (last or today) - timedelta(days=window.lookback_days), last
    return None, last


def _dated(listing: Listing, window: PartitionWindow, today: date) -> tuple[tuple[SourceFile, ...], int]:
    pattern = window.file_pattern
    files = tuple(f for f in listing.files if pattern is None or fnmatchcase(f.path.rpartition("/")[2], pattern))
    if window.format is None:
        if any(day is not None for day in days_of(window, today)):
            raise ContractError("partition needs a format to tell the day of a folder.", cure="Add 'format: %Y/%m/%d'.")
        return files, 0
    folders = DatedFolders(window.format)
    first, last = days_of(window, today)
    undated = sum(1 for file in files if folders.period(listing.below(file)) is None)
    return tuple(file for file in files if folders.meets(listing.below(file), first, last)), undated


def _with_values(listing: Listing, filters: Mapping[str, object]) -> tuple[SourceFile, ...]:
    wanted = {
        name.lower(): {str(value) for value in (values if isinstance(values, tuple) else (values,))}
        for name, values in filters.items()
    }
    known = [name.lower() for name in listing.partition_names()]
    if listing.files and (unknown := next((name for name in wanted if name not in known), None)):
        raise SourceError(
            f"partition_filters names '{unknown}', which is no partition folder of {listing.root}.",
            cure=did_you_mean(unknown, known),
        )
    found = ((file, listing.values(file)) for file in listing.files)
    return tuple(file for file, has in found if all(has.get(name) in allowed for name, allowed in wanted.items()))


def _period(pattern: re.Pattern[str], codes: str, path: str) -> tuple[datetime, datetime] | None:
    match = pattern.search(path)
    return _period_of(match.groups(), codes) if match else None


@lru_cache(maxsize=65536)
def _period_of(parts: tuple[str, ...], codes: str) -> tuple[datetime, datetime] | None:
    values = {code: int(part) for code, part in zip(codes, parts, strict=True)}
    try:
        began = _began(values)
        return began, _ended(began, codes)
    except (ValueError, OverflowError):
        # A name such as 2026-02-30 tells no date.
        return None


def _began(values: Mapping[str, int]) -> datetime:
    time = {"hour": values.get("H", 0), "minute": values.get("M", 0), "second": values.get("S", 0)}
    if "j" not in values:
        return datetime(values["Y"], values.get("m", 1), values.get("d", 1), **time, tzinfo=UTC)
    began = datetime(values["Y"], 1, 1, **time, tzinfo=UTC) + timedelta(days=values["j"] - 1)
    if began.year != values["Y"]:
        raise ValueError(f"the year has no day {values['j']}")
    return began


def _ended(began: datetime, codes: str) -> datetime:
    """The end of the period that the finest part tells."""
    for code, length in _LENGTHS.items():
        if code in codes:
            return began + length
    if "m" in codes:
        return (began.replace(day=28) + timedelta(days=4)).replace(day=1)
    return began.replace(year=began.year + 1)


def midnight(day: date) -> datetime:
    """When a day begins, in UTC."""
    return datetime(day.year, day.month, day.day, tzinfo=UTC)
