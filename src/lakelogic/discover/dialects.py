"""How csv files are written: encoding, delimiter, whether the first line names the columns, which texts mean nothing."""

from __future__ import annotations

import csv
import io
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from lakelogic.discover.forms import ALL
from lakelogic.errors import SourceError
from lakelogic.formats.base import ReadOptions
from lakelogic.formats.bytes import read_head

_HEAD_BYTES = 64 << 10
_DELIMITERS = (",", ";", "\t", "|")
_NOTHING = ("NULL", "null", "Null", "N/A", "n/a", "\\N", "#N/A")
_BOMS = {b"\xef\xbb\xbf": "utf-8", b"\xff\xfe": "utf-16", b"\xfe\xff": "utf-16"}
# What bytes that are not UTF-8 most often are.
_OTHER_ENCODING = "cp1252"
_WITH, _WITHOUT = "a header", "none"


@dataclass(frozen=True)
class _Seen:
    """The first lines of a file, with the encoding that they are in."""

    path: str
    encoding: str
    lines: tuple[str, ...]

    def rows(self, delimiter: str) -> list[list[str]]:
        return [row for row in csv.reader(io.StringIO("".join(self.lines), newline=""), delimiter=delimiter) if row]


def dialect_of(paths: Iterable[str]) -> ReadOptions | None:
    """How all these files are written; None where they are empty.

    Raises:
        SourceError: a file is not text, or they are not all written in one way.
    """
    seen = [found for found in map(_seen, paths) if found.lines]
    if not seen:
        return None
    encoding = _agreed(seen, [each.encoding for each in seen], "is {} text")
    delimiter = _agreed(seen, [_delimiter(each) for each in seen], "has '{}' between values")
    rows = [each.rows(delimiter) for each in seen]
    header = _agreed(seen, [_WITH if found else _WITHOUT for found in _headers(rows)], "has {}") == _WITH
    used = {value for each in rows for row in each[1:] for value in row}
    nothing = tuple(text for text in _NOTHING if text in used)
    return ReadOptions(delimiter, header=header, encoding=encoding, null_values=("", *nothing))


def _seen(path: str) -> _Seen:
    head = read_head(path, _HEAD_BYTES)
    encoding = next((name for mark, name in _BOMS.items() if head.startswith(mark)), None)
    if encoding is None and b"\x00" in head:
        raise SourceError(f"{path} is binary, not text.", cure="Check --format and --pattern, or remove the file.")
    decoded = _decoded(head, encoding)
    lines = decoded[1].removeprefix("\ufeff").splitlines(keepends=True)
    if len(head) == _HEAD_BYTES and len(lines) > 1:
        # The last line may be cut.
        lines = lines[:-1]
    return _Seen(path, decoded[0], tuple(line for line in lines if line.strip()))


def _decoded(head: bytes, encoding: str | None) -> tuple[str, str]:
    if encoding is not None:
        return encoding, head.decode(encoding, "ignore")
    try:
        return "utf-8", head.decode("utf-8")
    except UnicodeDecodeError as error:
        if len(head) == _HEAD_BYTES and error.end >= len(head) - 3:
            return "utf-8", head.decode("utf-8", "ignore")
        return _OTHER_ENCODING, head.decode(_OTHER_ENCODING, "replace")


def _agreed(seen: Sequence[_Seen], told: Sequence[str], what: str) -> str:
    """What all files have in common.

    Raises:
        SourceError: they differ.
    """
    most, other = (*(value for value, _ in Counter(told).most_common(2)), None)[:2]
    if other is not None:
        usual, odd = (seen[told.index(value)].path for value in (most, other))
        raise SourceError(
            f"{usual} {what.format(most)}, and {odd} {what.format(other)}.",
            cure="Move one kind of files into a folder of its own, or name one kind by --pattern.",
        )
    return str(most)


def _delimiter(seen: _Seen) -> str:
    """The delimiter that cuts the lines into the most values, as many in nearly every line."""

    def fitness(delimiter: str) -> tuple[bool, int]:
        widths = Counter(len(row) for row in seen.rows(delimiter))
        width, lines = widths.most_common(1)[0]
        return width > 1 and lines >= 0.9 * widths.total(), width

    best = max(_DELIMITERS, key=fitness)
    return best if fitness(best)[1] > 1 else ","


def _headers(files: Sequence[Sequence[Sequence[str]]]) -> list[bool]:
    """For each file, whether its first line is a header: the first line of others, or unlike the lines below it."""
    firsts = [frozenset(rows[0]) for rows in files]
    known = {first for first, times in Counter(firsts).items() if times > 1 and _could_name(first)}
    return [
        first in known or _shares(first, known) or _is_header(rows) for first, rows in zip(firsts, files, strict=True)
    ]


def _shares(first: frozenset[str], known: Iterable[frozenset[str]]) -> bool:
    return any(2 * len(first & header) >= len(first) for header in known)


def _is_header(rows: Sequence[Sequence[str]]) -> bool:
    first, below = rows[0], rows[1:]
    if not _could_name(first):
        return False
    # A name does not come again as a value of its own column.
    return not any(value == row[i] for row in below for i, value in enumerate(first) if value and i < len(row))


def _could_name(values: Iterable[str]) -> bool:
    """Whether these are names: none is a number, a date, a truth value or an address."""
    names = [value.strip() for value in values if value.strip()]
    return bool(names) and all(
        re.search(r"[^\W\d]", name) and "@" not in name and not any(re.fullmatch(f.pattern, name) for f in ALL)
        for name in names
    )
