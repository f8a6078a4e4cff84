"""Kinds of values that several blocks of a contract share."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import date, datetime, timedelta
from typing import Annotated

from pydantic import AfterValidator, BeforeValidator

_UNITS = {
    "s": 1,
    "sec": 1,
    "second": 1,
    "m": 60,
    "min": 60,
    "minute": 60,
    "h": 3600,
    "hour": 3600,
    "d": 86400,
    "day": 86400,
    "w": 604800,
    "week": 604800,
}
_DURATION = re.compile(r"\s*(\d+(?:\.\d+)?)\s*([a-z]+?)s?\s*", re.IGNORECASE)


def parse_duration(text: str) -> timedelta:
    """A length of time such as `24h`, `30 minutes` or `7 days`.

    Raises:
        ValueError: it is not a number with a unit.
    """
    match = _DURATION.fullmatch(text)
    seconds = _UNITS.get(match[2].lower()) if match else None
    if match is None or seconds is None:
        raise ValueError(f"must be a number with a unit, such as 24h or 7 days, not '{text}'")
    try:
        return timedelta(seconds=float(match[1]) * seconds)
    except OverflowError:
        raise ValueError(f"is too long: '{text}'") from None


def parse_date(text: str) -> date:
    """A day, `2026-02-01`, or the day of a timestamp.

    Raises:
        ValueError: it is neither.
    """
    try:
        return datetime.fromisoformat(text).date()
    except ValueError:
        raise ValueError(f"must be a date such as 2026-02-01, not '{text}'") from None


def parse_ratio(text: str) -> float:
    """A share as text: `0.05` or `5%`.

    Raises:
        ValueError: it is neither.
    """
    number, percent = text.strip().removesuffix("%"), text.strip().endswith("%")
    try:
        return float(number) / (100 if percent else 1)
    except ValueError:
        raise ValueError(f"must be a share such as 0.05 or 5%, not '{text}'") from None


def has_placeholder(text: str) -> bool:
    """Whether the text holds a `{placeholder}` that only a run can fill."""
    return re.search(r"\{\w+\}", text) is not None


def _when_filled(check: Callable[[str], object]) -> Callable[[str], str]:
    def checked(text: str) -> str:
        if not has_placeholder(text):
            check(text)
        return text

    return checked


def _as_ratio(value: object) -> object:
    return parse_ratio(value) if isinstance(value, str) else value


def _at_most_one(value: float) -> float:
    if not 0 <= value <= 1:
        raise ValueError(f"must be a share between 0 and 1 (or 0% and 100%), not {value:g}")
    return value


def _spelt(value: object) -> object:
    return str(value).lower() if isinstance(value, bool) else value


Scalar = bool | int | float | str
Duration = Annotated[str, AfterValidator(_when_filled(parse_duration))]
DateText = Annotated[str, AfterValidator(_when_filled(parse_date))]
Ratio = Annotated[float, BeforeValidator(_as_ratio, json_schema_input_type=float | str), AfterValidator(_at_most_one)]
Property = Annotated[str, BeforeValidator(_spelt, json_schema_input_type=str | float | bool)]
