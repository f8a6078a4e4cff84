"""Where the rows of a run went: from the source to good, quarantined, filtered and deduplicated."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

WIDTH, HEIGHT = 720, 220
_NODE = 10
_LEFT, _RIGHT = 130, 400
# Below this height a band can't be seen, and a label does not fit beside its node.
_THINNEST, _LINE = 3.0, 40.0


@dataclass(frozen=True)
class Share:
    """Some of the rows: what they are called, how many they are, and where they lie."""

    name: str
    kind: str
    rows: int
    where: str = ""


@dataclass(frozen=True)
class Band:
    """A share, drawn: the way of its rows, its node at the end, and the height of its label."""

    share: Share
    path: str
    y: float
    height: float
    label: float


@dataclass(frozen=True)
class Flow:
    """The whole picture; `source` is the top and the height of the node on the left."""

    bands: tuple[Band, ...]
    source: tuple[float, float]
    height: float
    left: int = _LEFT
    right: int = _RIGHT
    node: int = _NODE


def flow(shares: Sequence[Share]) -> Flow | None:
    """A picture of shares that have rows, in their order; nothing where no row was read."""
    shown = [share for share in shares if share.rows > 0]
    if not shown:
        return None
    total = sum(share.rows for share in shown)
    tall = HEIGHT - 40
    heights = [max(tall * share.rows / total, _THINNEST) for share in shown]
    tops = _tops(heights)
    whole = max(tops[-1] + max(heights[-1], _LINE) + 8, sum(heights) + 16)
    start = at = round((whole - sum(heights)) / 2, 1)
    bands = []
    for share, height, top in zip(shown, heights, tops, strict=True):
        bands.append(Band(share, _path(at, top, height), round(top, 1), round(height, 1), round(top + height / 2, 1)))
        at += height
    return Flow(tuple(bands), (start, round(sum(heights), 1)), round(whole, 1))


def _tops(heights: Sequence[float]) -> list[float]:
    """Where the nodes on the right begin: apart enough for two lines of text beside each."""
    tops, at = [], 8.0
    for height in heights:
        room = max(height, _LINE)
        tops.append(at + (room - height) / 2)
        at += room + 10
    return tops


def _path(start: float, end: float, height: float) -> str:
    """A band between two nodes, bent so that it leaves and arrives level."""
    left, right, middle = _LEFT + _NODE, _RIGHT, (_LEFT + _NODE + _RIGHT) / 2
    return (
        f"M{left},{start:.1f} C{middle},{start:.1f} {middle},{end:.1f} {right},{end:.1f} V{end + height:.1f} "
        f"C{middle},{end + height:.1f} {middle},{start + height:.1f} {left},{start + height:.1f} Z"
    )
