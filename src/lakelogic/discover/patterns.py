"""The pattern that texts have in common, such as a letter and five digits."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence

# Fewer values share a form by chance.
_ENOUGH = 20
_MOST = 0.95
_LONGEST = 40
_RUN = re.compile(r"[0-9]+|[A-Z]+|[a-z]+|[^0-9A-Za-z]")
_CLASSES = (("0", "9", "[0-9]"), ("A", "Z", "[A-Z]"), ("a", "z", "[a-z]"))


def common_pattern(values: Sequence[str]) -> str | None:
    """A pattern that nearly all values meet: runs of digits and letters in one order; None where there is none."""
    if len(values) < _ENOUGH:
        return None
    cut = [tuple(_RUN.findall(value)) for value in values if len(value) <= _LONGEST]
    shapes = Counter(map(_shape, cut))
    if not shapes:
        return None
    shape, times = shapes.most_common(1)[0]
    # Plain words have a form as well, and it says nothing.
    if times < _MOST * len(values) or "[0-9]" not in shape or " " in shape or not "".join(shape).isascii():
        return None
    alike = [runs for runs in cut if _shape(runs) == shape]
    return "^" + "".join(_part(kind, place) for kind, place in zip(shape, zip(*alike, strict=True), strict=True)) + "$"


def _shape(runs: Iterable[str]) -> tuple[str, ...]:
    return tuple(map(_kind, runs))


def _kind(run: str) -> str:
    return next((kind for low, high, kind in _CLASSES if low <= run[0] <= high), run)


def _part(kind: str, runs: Iterable[str]) -> str:
    seen = set(runs)
    if len(seen) == 1 and kind != "[0-9]":
        return _literal(seen.pop())
    lengths = {len(run) for run in seen}
    low, high = min(lengths), max(lengths)
    if high == 1:
        return kind
    return f"{kind}{{{low}}}" if low == high else f"{kind}+"


def _literal(text: str) -> str:
    # A backslash means something else in a SQL text, so a sign stands in brackets.
    return "".join(f"[{char}]" if char in r".+*?()|{}$" else char if char not in r"[]\^'" else "." for char in text)
