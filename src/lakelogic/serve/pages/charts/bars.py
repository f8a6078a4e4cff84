"""Rows of the last runs, side by side: good ones below, quarantined ones on top."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

WIDTH, HEIGHT = 640, 120
_WIDEST = 48.0
_GAP = 3.0


@dataclass(frozen=True)
class Batch:
    """What one run wrote; a count that is not known is None."""

    label: str
    link: str
    good: int | None
    quarantined: int | None


@dataclass(frozen=True)
class Bar:
    """One run: where it stands, and how high both parts are."""

    batch: Batch
    x: float
    width: float
    good: tuple[float, float]
    bad: tuple[float, float]


def bars(batches: Sequence[Batch]) -> tuple[Bar, ...]:
    """A bar for each run, the newest at the right."""
    if not batches:
        return ()
    width = min(WIDTH / len(batches) - _GAP, _WIDEST)
    most = max((batch.good or 0) + (batch.quarantined or 0) for batch in batches) or 1
    first = WIDTH - len(batches) * (width + _GAP)
    return tuple(_bar(batch, first + at * (width + _GAP), width, most) for at, batch in enumerate(batches))


def _bar(batch: Batch, x: float, width: float, most: int) -> Bar:
    good, bad = (_height(count, most) for count in (batch.good, batch.quarantined))
    top = HEIGHT - good
    return Bar(batch, round(x, 1), round(width, 1), (round(top, 1), good), (round(top - bad, 1), bad))


def _height(count: int | None, most: int) -> float:
    """A share of the height; rows that are there are never invisible."""
    return max(round((HEIGHT - 4) * count / most, 1), 2.0) if count else 0.0
