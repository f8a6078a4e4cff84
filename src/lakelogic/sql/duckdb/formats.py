"""Patterns of dates and times, of which only the letters are taken that mean the same everywhere."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

from lakelogic.sql.duckdb.patterns import NotPortable

# Java's letters: how DuckDB writes them, and what text they read. A letter more or less means something else.
_WRITTEN = {
    "yyyy": "%Y", "yy": "%y", "MM": "%m", "M": "%-m", "MMM": "%b", "MMMM": "%B", "dd": "%d", "d": "%-d", "DDD": "%j",
    "HH": "%H", "H": "%-H", "hh": "%I", "h": "%-I", "mm": "%M", "m": "%-M", "ss": "%S", "s": "%-S", "SSS": "%g",
    "SSSSSS": "%f", "a": "%p", "E": "%a", "EEE": "%a", "EEEE": "%A",
}  # fmt: skip
_READ = {
    "yyyy": "[0-9]{4}", "MM": "[0-9]{2}", "M": "[0-9]{1,2}", "dd": "[0-9]{2}", "d": "[0-9]{1,2}", "HH": "[0-9]{2}",
    "H": "[0-9]{1,2}", "mm": "[0-9]{2}", "ss": "[0-9]{2}", "SSS": "[0-9]{3}", "SSSSSS": "[0-9]{6}",
}  # fmt: skip
_REGEX_SIGNS = set(r"\.[]{}()*+-?^$|")


@dataclass(frozen=True)
class Format:
    """A format as DuckDB writes it, and the text that Java accepts for it."""

    written: str
    accepted: str
    letters: tuple[str, ...]


def formatted(pattern: str) -> Format:
    """A format for writing.

    Raises:
        NotPortable: a letter that means something else elsewhere.
    """
    written, _, letters = _parts(pattern, _WRITTEN)
    return Format(written, "", letters)


def readable_format(pattern: str) -> Format:
    """A format for reading: years, months, days and times of fixed width.

    Raises:
        NotPortable: a letter that is read differently elsewhere.
    """
    written, accepted, letters = _parts(pattern, _READ)
    if len(set(letters)) != len(letters) or "yyyy" not in letters:
        raise NotPortable("a year that is missing, or a part given twice")
    if any(a in {"M", "d", "H"} and b for a, b in pairwise(letters)) and not _separated(pattern):
        raise NotPortable("numbers without anything between them")
    return Format(written.replace("%-", "%"), accepted, letters)


def _parts(pattern: str, known: dict[str, str]) -> tuple[str, str, tuple[str, ...]]:
    written, accepted, letters = [], [], []
    position = 0
    while position < len(pattern):
        char = pattern[position]
        if char == "'":
            quoted, position = _quoted(pattern, position)
            written.append(quoted.replace("%", "%%"))
            accepted.append(_escaped(quoted))
            continue
        end = position
        while pattern[end : end + 1] == char:
            end += 1
        run = pattern[position:end]
        position = end
        if char.isalpha():
            if run not in known:
                raise NotPortable(f"'{run}'")
            written.append(_WRITTEN[run])
            accepted.append(known[run])
            letters.append(run)
        elif char in "[]#{}":
            raise NotPortable(f"'{char}'")
        else:
            written.append(run.replace("%", "%%"))
            accepted.append(_escaped(run))
    return "".join(written), "".join(accepted), tuple(letters)


def _quoted(pattern: str, start: int) -> tuple[str, int]:
    if pattern[start : start + 2] == "''":
        return "'", start + 2
    end = pattern.find("'", start + 1)
    if end < 0 or pattern[end : end + 2] == "''":
        raise NotPortable("a quote")
    return pattern[start + 1 : end], end + 1


def _escaped(text: str) -> str:
    return "".join(f"\\{char}" if char in _REGEX_SIGNS else char for char in text)


def _separated(pattern: str) -> bool:
    kinds = [char if char.isalpha() else "" for char in pattern]
    return all(a == b or not a or not b for a, b in pairwise(kinds))
