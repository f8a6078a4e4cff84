"""How values, numbers, times and places read on a screen."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from datetime import date, datetime

UNKNOWN = "unknown"
HIDDEN = "***"

_SEALED = "enc:"
_SEALED_SHOWN = 20
# Besides control characters: marks that let a value rewrite the direction of the line it stands in.
_UNSAFE = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069]")
_SIZES = ("B", "kB", "MB", "GB", "TB", "PB")


def one_line(text: object) -> str:
    """A text as it can stand on a screen: line ends and control characters are written out, not obeyed."""
    return _UNSAFE.sub(lambda found: found[0].encode("unicode_escape").decode("ascii"), str(text))


def cell(value: object) -> str:
    """A value of a row; lists and structs as JSON, encrypted text cut short."""
    if value is None:
        return "null"
    if isinstance(value, str):
        return one_line(f"{value[:_SEALED_SHOWN]}..." if value.startswith(_SEALED) else value)
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (list, tuple, Mapping)):
        return one_line(json.dumps(value, ensure_ascii=False, default=str))
    if isinstance(value, (bytes, bytearray)):
        return f"{len(value)} bytes"
    if isinstance(value, (datetime, date)):
        return value.isoformat(" ") if isinstance(value, datetime) else value.isoformat()
    return one_line(value)


def number(value: int | None) -> str:
    """A count; one that is not known says so."""
    return UNKNOWN if value is None else f"{value:,}"


def rounded(value: int | None) -> str:
    """A count in five characters or so: 9,999, then 10.0k, 1.3M, 12.0G."""
    if value is None or abs(value) < 10_000:
        return number(value)
    amount = float(value)
    for unit in ("", "k", "M", "G", "T"):
        if abs(amount) < 999.5:
            return f"{amount:.1f}{unit}"
        amount /= 1000
    return f"{amount:.1f}P"


def measured(value: float | None) -> str:
    """A measure, without digits that say nothing."""
    if value is None:
        return UNKNOWN
    return f"{value:,.0f}" if value == int(value) and abs(value) < 1e15 else f"{value:,.6g}"


def counted(value: int | None, noun: str) -> str:
    return f"{number(value)} {noun if value == 1 else noun + 's'}"


def share(part: float | None, whole: float | None) -> str:
    """A part of a whole as a percentage; a part that is there never reads as none, nor as all."""
    if part is None or whole is None:
        return UNKNOWN
    if not whole:
        return "0.0%" if not part else UNKNOWN
    percent = 100 * part / whole
    if part and percent < 0.05:
        return "<0.1%"
    if part < whole and percent >= 99.95:
        return ">99.9%"
    return f"{percent:.1f}%"


def seconds(duration: float) -> str:
    """A duration in the units that suit its length."""
    if duration < 60:
        return f"{duration:.1f} s"
    minutes, rest = divmod(round(duration), 60)
    if minutes < 60:
        return f"{minutes} min {rest:02d} s"
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes:02d} min"


def size(octets: int) -> str:
    """The size of files."""
    amount = float(octets)
    for unit in _SIZES[:-1]:
        if amount < 999.5:
            return f"{amount:.0f} {unit}" if unit == "B" or amount >= 99.5 else f"{amount:.1f} {unit}"
        amount /= 1000
    return f"{amount:,.0f} {_SIZES[-1]}"


def shortened(text: str, width: int) -> str:
    """A text that fits a width; what is left out is in its middle, since a path's ends tell most."""
    if len(text) <= width:
        return text
    if width <= 1:
        return "…"[:width]
    kept = width - 1
    tail = max(kept * 2 // 3, 1)
    # A whole last part of a path reads better than a piece of the one before it.
    cut = text.find("/", len(text) - tail)
    if 0 < len(text) - cut <= tail and cut != -1 and len(text) - cut >= tail // 2:
        tail = len(text) - cut
    return f"{text[: kept - tail]}…{text[len(text) - tail :]}"
