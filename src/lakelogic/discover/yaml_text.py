"""YAML that people like to read: short values bare, comments in a column behind them."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from lakelogic.contract.reading import resolved

_BARE = re.compile(r"[A-Za-z_.](?:[\w ./@-]*[\w/@.])?")
_WIDEST = 64


@dataclass(frozen=True)
class Line:
    """A line, and what is said about it."""

    text: str
    comment: str = ""
    depth: int = 0

    def indented(self, by: int) -> Line:
        return replace(self, depth=self.depth + by)


def value(item: object) -> str:
    """A value on one line."""
    if item is None:
        return "null"
    if isinstance(item, bool):
        return "true" if item else "false"
    if isinstance(item, str):
        return _text(item)
    if isinstance(item, Mapping):
        return "{" + ", ".join(f"{value(key)}: {value(each)}" for key, each in item.items()) + "}"
    if isinstance(item, Sequence):
        return "[" + ", ".join(map(value, item)) + "]"
    return str(item)


def sentence(text: str) -> str:
    """SQL on a line of its own: bare where YAML reads it as it stands."""
    plain = text[:1].isalpha() and text.isprintable() and not re.search(r": | #|:$|\s$", text)
    return text if plain else json.dumps(text, ensure_ascii=False)


def block(lines: Iterable[Line]) -> list[str]:
    """Lines of one block, with their comments below each other."""
    all_lines = list(lines)
    widths = [_width(line) for line in all_lines if line.comment and line.text and _width(line) <= _WIDEST]
    behind = max(widths, default=0)
    return [_written(line, behind) for line in all_lines]


def disabled(line: Line) -> Line:
    """A line that is only a suggestion."""
    return replace(line, text=f"# {line.text}")


def _written(line: Line, behind: int) -> str:
    text = "  " * line.depth + line.text
    if not line.comment:
        return text.rstrip()
    return f"{text:<{behind}}  # {line.comment}" if line.text else f"{'  ' * line.depth}# {line.comment}"


def _width(line: Line) -> int:
    return 2 * line.depth + len(line.text)


def _text(text: str) -> str:
    if _BARE.fullmatch(text) and isinstance(resolved(text), str):
        return text
    if "'" in text or not text.isprintable():
        return json.dumps(text, ensure_ascii=False)
    return f"'{text}'"
