"""A few rows of a result to look at, without what must not be seen."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from lakelogic.engines.base import Engine
from lakelogic.plan.model import Plan
from lakelogic.wording import HIDDEN


@dataclass(frozen=True)
class SafeRows:
    """Rows in which private values are hidden."""

    good: tuple[Mapping[str, object], ...] = ()
    bad: tuple[Mapping[str, object], ...] = ()


def safe_rows(plan: Plan, engine: Engine[Any], frames: tuple[Any, Any], limit: int) -> SafeRows:
    """The first rows of both frames; a private value is shown only as its mask stores it."""
    good, bad = (engine.head(frame, limit) for frame in frames)
    masked = {name.lower() for name, _ in plan.masks}
    private = {name.lower() for name in plan.hide}
    return SafeRows(_hidden(good, private - masked), _hidden(bad, private))


def _hidden(rows: Iterable[Mapping[str, object]], private: set[str]) -> tuple[Mapping[str, object], ...]:
    """NULL stays visible: that nothing is there is what the errors beside it tell."""
    return tuple(
        {name: HIDDEN if value is not None and name.lower() in private else value for name, value in row.items()}
        for row in rows
    )
