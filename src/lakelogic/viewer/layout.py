"""Where boxes and arrows are drawn: layers from left to right, few crossings, arrows as straight as there is room for.

The usual way for layered graphs: slots, barycentres for the order in a slot, then the nearest places that keep it.
"""

from __future__ import annotations

from bisect import bisect_left, insort
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from lakelogic.viewer.view import SOURCES, Arrow, Box, View

WIDTH, HEIGHT = 200, 46
SOURCE_HEIGHT = 30
_BETWEEN_SLOTS, _BETWEEN_LAYERS, _BETWEEN_BOXES, _LANE = 68, 100, 16, 10
_TOP, _LEFT = 64, 32
_SWEEPS = 12
_PORT = 11

Point = tuple[float, float]


@dataclass(frozen=True)
class Band:
    """The place of a layer."""

    layer: str
    x: float
    width: float


@dataclass(frozen=True)
class Placed:
    """A box with its upper left corner."""

    box: Box
    x: float
    y: float
    height: float


@dataclass(frozen=True)
class Routed:
    """An arrow with the points it goes through; between two of them, it runs level at both ends."""

    arrow: Arrow
    points: tuple[Point, ...]


@dataclass(frozen=True)
class Layout:
    """A picture: its size, and where everything in it is."""

    width: float
    height: float
    bands: tuple[Band, ...]
    boxes: tuple[Placed, ...]
    arrows: tuple[Routed, ...]


def lay_out(view: View) -> Layout:
    """A place for everything in a view; the same for the same view."""
    slots = _Slots.of(view)
    grid = _Grid(view, slots)
    grid.order()
    grid.settle()
    return grid.layout()


@dataclass(frozen=True)
class _Slots:
    """Columns of boxes: a layer has as many as its longest chain of contracts."""

    of_box: Mapping[str, int]
    layers: tuple[str, ...]
    """The layer of each slot."""

    @staticmethod
    def of(view: View) -> _Slots:
        depth: dict[str, int] = {}
        into = {box.name: [arrow.origin for arrow in view.needed_by(box.name)] for box in view.boxes}
        layer = {box.name: box.layer for box in view.boxes}
        # Boxes come in the order of the graph: what a contract needs stands before it.
        for box in view.boxes:
            nearer = [depth[each] + 1 for each in into[box.name] if each in depth and layer[each] == box.layer]
            depth[box.name] = max(nearer, default=0)
        first: dict[str, int] = {}
        layers: list[str] = []
        for name in view.layers:
            first[name] = len(layers)
            layers += [name] * (1 + max(depth[box.name] for box in view.boxes if box.layer == name))
        return _Slots({box.name: first[box.layer] + depth[box.name] for box in view.boxes}, tuple(layers))

    def x(self, slot: int) -> float:
        changes = sum(a != b for a, b in zip(self.layers[: slot + 1], self.layers[1 : slot + 1], strict=False))
        return _LEFT + slot * (WIDTH + _BETWEEN_SLOTS) + changes * (_BETWEEN_LAYERS - _BETWEEN_SLOTS)


@dataclass
class _Spot:
    """A box in its slot, or a bend of an arrow that passes through it."""

    slot: int
    height: float
    box: Box | None = None
    left: list[_Spot] = field(default_factory=list)
    right: list[_Spot] = field(default_factory=list)
    place: int = 0
    y: float = 0.0

    @property
    def middle(self) -> float:
        return self.y + self.height / 2


class _Grid:
    """Spots in slots, first in an order, then with a height."""

    def __init__(self, view: View, slots: _Slots) -> None:
        self._slots = slots
        self._columns: list[list[_Spot]] = [[] for _ in slots.layers]
        self._spots: dict[str, _Spot] = {}
        self._chains: list[tuple[Arrow, list[_Spot]]] = []
        for box in view.boxes:
            height = HEIGHT if box.layer != SOURCES else SOURCE_HEIGHT
            self._spots[box.name] = self._add(_Spot(slots.of_box[box.name], height, box))
        for arrow in view.arrows:
            self._chains.append((arrow, self._chain(arrow)))

    def _add(self, spot: _Spot) -> _Spot:
        column = self._columns[spot.slot]
        spot.place = len(column)
        column.append(spot)
        return spot

    def _chain(self, arrow: Arrow) -> list[_Spot]:
        """The boxes at both ends, and a bend in each slot between them."""
        start, end = self._spots[arrow.origin], self._spots[arrow.target]
        bends = [self._add(_Spot(slot, 0)) for slot in range(start.slot + 1, end.slot)]
        chain = [start, *bends, end]
        if start.slot < end.slot:
            for left, right in pairwise(chain):
                left.right.append(right)
                right.left.append(left)
        return chain

    def order(self) -> None:
        """Put each spot near the middle of its neighbours, from both sides in turn; the best of all orders stays."""
        best, fewest = self._places(), self._crossings()
        for sweep in range(_SWEEPS):
            if not fewest:
                break
            forwards = sweep % 2 == 0
            for column in self._columns if forwards else reversed(self._columns):
                _sort(column, forwards)
            if (crossings := self._crossings()) < fewest:
                best, fewest = self._places(), crossings
        for column, places in zip(self._columns, best, strict=True):
            column.sort(key=lambda spot: places[id(spot)])
            _number(column)

    def _places(self) -> list[dict[int, int]]:
        return [{id(spot): spot.place for spot in column} for column in self._columns]

    def _crossings(self) -> int:
        total = 0
        for column in self._columns:
            ends: list[int] = []
            for spot in column:
                reached = sorted(each.place for each in spot.right)
                total += sum(len(ends) - bisect_left(ends, place + 1) for place in reached)
                for place in reached:
                    insort(ends, place)
        return total

    def settle(self) -> None:
        """Give heights: each spot as near to its neighbours as its order in the slot allows."""
        for column in self._columns:
            _stack(column, [0.0] * len(column))
        for sweep in range(_SWEEPS):
            forwards = sweep % 2 == 0
            for column in self._columns if forwards else reversed(self._columns):
                _stack(column, [_wanted(spot, forwards) for spot in column])
        top = min((spot.y for column in self._columns for spot in column), default=0)
        for column in self._columns:
            for spot in column:
                spot.y += _TOP - top

    def layout(self) -> Layout:
        x = self._slots.x
        boxes = tuple(
            Placed(spot.box, x(spot.slot), round(spot.y, 1), spot.height)
            for spot in self._spots.values()
            if spot.box is not None
        )
        ports = _Ports(self._chains)
        arrows = tuple(
            Routed(arrow, tuple(self._points(chain, *ports.of(number))))
            for number, (arrow, chain) in enumerate(self._chains)
        )
        bottom = max((spot.y + spot.height for column in self._columns for spot in column), default=0)
        return Layout(x(len(self._columns) - 1) + WIDTH + _LEFT, bottom + _LEFT, self._bands(), boxes, arrows)

    def _points(self, chain: Sequence[_Spot], leaves: float, enters: float) -> Iterable[Point]:
        x = self._slots.x
        yield x(chain[0].slot) + WIDTH, leaves
        for bend in chain[1:-1]:
            yield x(bend.slot), round(bend.y, 1)
            yield x(bend.slot) + WIDTH, round(bend.y, 1)
        yield x(chain[-1].slot), enters

    def _bands(self) -> tuple[Band, ...]:
        slots: dict[str, list[int]] = defaultdict(list)
        for slot, layer in enumerate(self._slots.layers):
            slots[layer].append(slot)
        x = self._slots.x
        return tuple(Band(layer, x(of[0]), x(of[-1]) + WIDTH - x(of[0])) for layer, of in slots.items())


class _Ports:
    """Where arrows leave and enter a box: side by side, in the order of where they come from and go to."""

    def __init__(self, chains: Sequence[tuple[Arrow, list[_Spot]]]) -> None:
        leaving: dict[int, list[tuple[float, int, _Spot]]] = defaultdict(list)
        entering: dict[int, list[tuple[float, int, _Spot]]] = defaultdict(list)
        for number, (_, chain) in enumerate(chains):
            leaving[id(chain[0])].append((chain[1].middle, number, chain[0]))
            entering[id(chain[-1])].append((chain[-2].middle, number, chain[-1]))
        self._leaves = {number: y for group in leaving.values() for number, y in _spread(group)}
        self._enters = {number: y for group in entering.values() for number, y in _spread(group)}

    def of(self, number: int) -> tuple[float, float]:
        return self._leaves[number], self._enters[number]


def _spread(group: list[tuple[float, int, _Spot]]) -> Iterable[tuple[int, float]]:
    group.sort(key=lambda each: each[:2])
    spot = group[0][2]
    step = min(_PORT, (spot.height - 12) / max(len(group) - 1, 1))
    for position, (_, number, _) in enumerate(group):
        yield number, round(spot.middle + (position - (len(group) - 1) / 2) * step, 1)


def _sort(column: list[_Spot], forwards: bool) -> None:
    def centre(spot: _Spot) -> float:
        near = spot.left if forwards else spot.right
        return sum(each.place for each in near) / len(near) if near else spot.place

    column.sort(key=centre)
    _number(column)


def _number(column: list[_Spot]) -> None:
    for place, spot in enumerate(column):
        spot.place = place


def _wanted(spot: _Spot, forwards: bool) -> float:
    near = (spot.left if forwards else spot.right) or spot.left or spot.right
    return sum(each.middle for each in near) / len(near) - spot.height / 2 if near else spot.y


def _stack(column: Sequence[_Spot], wanted: Sequence[float]) -> None:
    """Places nearest to the wanted ones that keep order and distance: neighbours that would overlap share their mean."""
    offsets, offset = [], 0.0
    for spot, following in zip(column, (*column[1:], None), strict=True):
        offsets.append(offset)
        gap = _BETWEEN_BOXES if following is not None and spot.box and following.box else _LANE
        offset += spot.height + gap
    blocks: list[tuple[float, int]] = []
    for want, shift in zip(wanted, offsets, strict=True):
        mean, size = want - shift, 1
        while blocks and blocks[-1][0] > mean:
            other, count = blocks.pop()
            mean, size = (mean * size + other * count) / (size + count), size + count
        blocks.append((mean, size))
    level = [mean for mean, size in blocks for _ in range(size)]
    for spot, mean, shift in zip(column, level, offsets, strict=True):
        spot.y = mean + shift
