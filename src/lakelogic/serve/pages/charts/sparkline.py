"""A trend in the space of a word."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

WIDTH, HEIGHT = 96, 24
_EDGE = 3
# A trend that stays within less than this is drawn flat: the eye takes any slope for news.
_LEAST_SPAN = 5.0


@dataclass(frozen=True)
class Sparkline:
    """Lines between the values that are known, and the last of them; both empty where none is known."""

    lines: tuple[str, ...] = ()
    last: tuple[float, float] | None = None


def sparkline(values: Sequence[float | None]) -> Sparkline:
    """A trend, oldest value first; what is not known leaves a gap."""
    known = [value for value in values if value is not None]
    if not known:
        return Sparkline()
    middle, span = (max(known) + min(known)) / 2, max(max(known) - min(known), _LEAST_SPAN)
    step = (WIDTH - 2 * _EDGE) / max(len(values) - 1, 1)
    first = WIDTH - _EDGE - step * (len(values) - 1)
    points = [
        None if value is None else (round(first + at * step, 1), round(_height((value - middle) / span), 1))
        for at, value in enumerate(values)
    ]
    return Sparkline(_lines(points), [point for point in points if point is not None][-1])


def _height(above: float) -> float:
    """Where a value is drawn that lies so far above the middle of all, from -0.5 to 0.5."""
    return HEIGHT / 2 - (HEIGHT - 2 * _EDGE) * above


def _lines(points: Sequence[tuple[float, float] | None]) -> tuple[str, ...]:
    """The stretches without a gap, as SVG writes points; one point by itself is no line."""
    stretches: list[list[tuple[float, float]]] = [[]]
    for point in points:
        if point is None:
            stretches.append([])
        else:
            stretches[-1].append(point)
    return tuple(" ".join(f"{x},{y}" for x, y in stretch) for stretch in stretches if len(stretch) > 1)
