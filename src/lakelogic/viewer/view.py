"""What is to be seen of a lakehouse, as frozen data: boxes, arrows, and the columns inside the boxes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from datetime import datetime
from functools import cached_property
from typing import Literal

from lakelogic.plan.lineage import Kind
from lakelogic.viewer.runs import Runs

FORMAT = 1
SOURCES = "sources"
"""The place of what comes from outside, left of every layer."""

BoxKind = Literal["contract", "source", "unlisted"]


@dataclass(frozen=True)
class BoxColumn:
    """A column of a contract's target; `inputs` are (box, column) pairs that it is made of."""

    name: str
    type: str
    kind: Kind
    inputs: tuple[tuple[str, str], ...] = ()
    private: bool = False


@dataclass(frozen=True)
class Box:
    """A contract, or something outside that contracts read. `note` says what is not known of it, and why."""

    name: str
    label: str
    layer: str
    kind: BoxKind = "contract"
    title: str | None = None
    owner: str | None = None
    domain: str | None = None
    system: str | None = None
    file: str | None = None
    location: str | None = None
    strategy: str | None = None
    keys: tuple[str, ...] = ()
    runs: Runs = field(default_factory=Runs)
    columns: tuple[BoxColumn, ...] = ()
    note: str | None = None


@dataclass(frozen=True)
class Arrow:
    """What `target` needs of `origin`, and why; `rows` is how many its last run with new data has read there."""

    origin: str
    target: str
    reasons: tuple[str, ...]
    rows: int | None = None

    @property
    def carries_rows(self) -> bool:
        """Whether rows flow here, rather than values that are looked up or an order that is declared."""
        return "source" in self.reasons


@dataclass(frozen=True)
class View:
    """A lakehouse as it is at a moment. `layers` are in the order in which data flows."""

    boxes: tuple[Box, ...]
    arrows: tuple[Arrow, ...]
    layers: tuple[str, ...]
    at: datetime

    @cached_property
    def contracts(self) -> tuple[Box, ...]:
        return tuple(box for box in self.boxes if box.kind == "contract")

    @cached_property
    def by_name(self) -> Mapping[str, Box]:
        return {box.name: box for box in self.boxes}

    def needed_by(self, name: str) -> tuple[Arrow, ...]:
        """The arrows that lead to a box."""
        return self._into.get(name, ())

    @cached_property
    def _into(self) -> Mapping[str, tuple[Arrow, ...]]:
        into: dict[str, tuple[Arrow, ...]] = {}
        for arrow in self.arrows:
            into[arrow.target] = (*into.get(arrow.target, ()), arrow)
        return into

    def to_dict(self) -> dict[str, object]:
        """Plain data, for `--as json`."""
        return {
            "format": FORMAT,
            "at": self.at.isoformat(),
            "layers": list(self.layers),
            "boxes": [{**asdict(box), "runs": box.runs.to_dict()} for box in self.boxes],
            "arrows": [asdict(arrow) for arrow in self.arrows],
        }
