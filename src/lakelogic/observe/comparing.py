"""Two runs side by side: what differs between them in rows, rules, times, plan and columns."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from lakelogic.observe.history import RunDetail
from lakelogic.sources.delta import state_at
from lakelogic.sql.types import Columns, type_name

Value = str | int | float | None
ColumnsAt = Callable[[str, int], Columns | None]

_ABOUT = ("contract", "layer", "engine", "status", "mode", "plan", "contract_version", "source", "target_version")
_COUNTS = ("source", "expanded", "good", "quarantined", "filtered", "deduplicated")
_SHARES = ("quarantine_ratio", "quality_score")


@dataclass(frozen=True)
class Pair:
    """A value of both runs."""

    name: str
    a: Value
    b: Value

    @property
    def differs(self) -> bool:
        return self.a != self.b

    @property
    def change(self) -> float | None:
        """By how much the second is more than the first, where both are numbers."""
        if isinstance(self.a, str) or isinstance(self.b, str) or self.a is None or self.b is None:
            return None
        return self.b - self.a


@dataclass(frozen=True)
class Comparison:
    """What two runs have in common, and what not. `columns` are those of the target that differ; None is unknown."""

    a: RunDetail
    b: RunDetail
    about: tuple[Pair, ...]
    counts: tuple[Pair, ...]
    shares: tuple[Pair, ...]
    rules: tuple[Pair, ...]
    dataset_rules: tuple[Pair, ...]
    times: tuple[Pair, ...]
    columns: tuple[Pair, ...] | None

    def to_dict(self) -> dict[str, object]:
        """The comparison as plain data, for `--json`."""
        parts = ("about", "counts", "shares", "rules", "dataset_rules", "times", "columns")
        told = {"a": self.a.run.run_id, "b": self.b.run.run_id}
        return {**told, **{part: _listed(getattr(self, part)) for part in parts}}


def compare(a: RunDetail, b: RunDetail, columns_at: ColumnsAt | None = None) -> Comparison:
    """The second run against the first."""
    return Comparison(
        a,
        b,
        tuple(Pair(name, getattr(a.run, name), getattr(b.run, name)) for name in _ABOUT),
        tuple(Pair(name, getattr(a.run, f"counts_{name}"), getattr(b.run, f"counts_{name}")) for name in _COUNTS),
        tuple(Pair(name, getattr(a.run, name), getattr(b.run, name)) for name in _SHARES),
        tuple(_pairs(_values(a, "rules", "failed"), _values(b, "rules", "failed"))),
        tuple(_pairs(_values(a, "dataset_rules", "value"), _values(b, "dataset_rules", "value"))),
        (Pair("all", a.run.duration_seconds, b.run.duration_seconds), *_pairs(_timings(a), _timings(b))),
        _columns(a, b, columns_at or _delta_columns),
    )


def _values(detail: RunDetail, part: str, value: str) -> dict[str, Value]:
    return {rule["name"]: rule[value] for rule in detail.report.get(part) or ()}


def _timings(detail: RunDetail) -> Mapping[str, Any]:
    return detail.report.get("timings") or {}


def _pairs(a: Mapping[str, Value], b: Mapping[str, Value]) -> Iterator[Pair]:
    """What either has, in the order of the first; a rule that a run did not have is None there."""
    for name in dict.fromkeys([*a, *b]):
        yield Pair(name, a.get(name), b.get(name))


def _columns(a: RunDetail, b: RunDetail, columns_at: ColumnsAt) -> tuple[Pair, ...] | None:
    """The columns of the target's versions that differ, as its own log tells them."""
    types = [_types(detail, columns_at) for detail in (a, b)]
    if types[0] is None or types[1] is None:
        return None
    return tuple(pair for pair in _pairs(types[0], types[1]) if pair.differs)


def _types(detail: RunDetail, columns_at: ColumnsAt) -> dict[str, Value] | None:
    target, version = detail.run.target, detail.run.target_version
    found = columns_at(target, version) if target is not None and version is not None else None
    return None if found is None else {column.name: type_name(column.type) for column in found}


def _delta_columns(path: str, version: int) -> Columns | None:
    state = state_at(path, version)
    return state.columns if state else None


def _listed(pairs: tuple[Pair, ...] | None) -> list[dict[str, object]] | None:
    return None if pairs is None else [{"name": p.name, "a": p.a, "b": p.b, "change": p.change} for p in pairs]
