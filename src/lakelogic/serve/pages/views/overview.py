"""The overview: how every contract fares."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import groupby

from lakelogic.contract.identity import LAYERS
from lakelogic.observe.history import Run
from lakelogic.run.result import DatasetRuleResult, RuleResult, RunResult
from lakelogic.serve.pages.states import State, freshness, health, rule_state
from lakelogic.serve.pages.views.parts import Tile, address
from lakelogic.serve.reading.contracts import ContractSummary
from lakelogic.wording import number

TREND_RUNS = 20
_PAGE = 100
_HEALTHS = (
    ("", "any health"),
    ("good", "healthy"),
    ("warn", "needs a look"),
    ("bad", "failing"),
    ("idle", "never run"),
)


@dataclass(frozen=True)
class Asked:
    """What the visitor looks for."""

    q: str = ""
    health: str = ""
    shown: int = _PAGE


@dataclass(frozen=True)
class Row:
    """A contract on the overview; counts are those of its last run that had rows."""

    contract: ContractSummary
    health: State
    freshness: State | None
    wrote: Run | None
    trend: tuple[float | None, ...]
    rules: int
    rules_failing: int

    @property
    def trend_label(self) -> str:
        """The trend in words, for those who can't see it."""
        known = [value for value in self.trend if value is not None]
        return f"Quality from {known[0]:g} to {known[-1]:g} of 100" if known else "Quality is not known"


@dataclass(frozen=True)
class Group:
    """The contracts of a layer; `total` counts those that are not shown as well."""

    layer: str | None
    total: int
    rows: tuple[Row, ...]


@dataclass(frozen=True)
class Overview:
    """All that the page shows."""

    asked: Asked
    total: int
    found: int
    groups: tuple[Group, ...]
    tiles: tuple[Tile, ...]
    last_run: datetime | None
    more: str | None
    problem: str | None
    first_command: str
    healths: tuple[tuple[str, str], ...] = _HEALTHS
    trend_runs: int = TREND_RUNS

    @property
    def shown(self) -> int:
        return sum(len(group.rows) for group in self.groups)


def overview(
    contracts: Sequence[ContractSummary],
    recent: Mapping[str, Sequence[Run]],
    last: Mapping[str, RunResult],
    scores: Mapping[str, Sequence[float | None]],
    asked: Asked,
    now: datetime,
    problem: str | None = None,
    first_command: str = "",
) -> Overview:
    """The page; `recent` has the newest runs of each contract, newest first, `last` the last one that judged rows.

    `scores` has the quality of runs that judged rows, oldest first.
    """
    rows = [
        _row(each, recent.get(each.name, ()), last.get(each.name), scores.get(each.name, ()), now) for each in contracts
    ]
    rows.sort(key=_order)
    fits = [row for row in rows if _fits(row, asked)]
    totals = Counter(row.contract.layer for row in fits)
    groups = tuple(
        Group(layer, totals[layer], tuple(each))
        for layer, each in groupby(fits[: asked.shown], key=lambda row: row.contract.layer)
    )
    begun = [runs[0].started_at for runs in recent.values() if runs and runs[0].started_at is not None]
    query = {"q": asked.q, "health": asked.health, "shown": asked.shown + _PAGE}
    more = address("/", query) if len(fits) > asked.shown else None
    return Overview(
        asked, len(rows), len(fits), groups, _tiles(rows), max(begun, default=None), more, problem, first_command
    )


def _row(
    summary: ContractSummary,
    runs: Sequence[Run],
    last: RunResult | None,
    scores: Sequence[float | None],
    now: datetime,
) -> Row:
    # A run that found nothing new has no rows; what people ask for are those of the last one that had some.
    wrote = next((run for run in runs if run.status == "succeeded" and not run.is_command), None)
    judged: list[RuleResult | DatasetRuleResult] = [*last.rules, *last.dataset_rules] if last else []
    return Row(
        contract=summary,
        health=health(summary, last),
        freshness=freshness(summary, now),
        wrote=wrote,
        trend=tuple(scores[-TREND_RUNS:]),
        rules=len(judged),
        rules_failing=sum(rule_state(rule).kind in ("bad", "warn") for rule in judged),
    )


def _order(row: Row) -> tuple[int, str, str]:
    known, layer = tuple(LAYERS), row.contract.layer
    rank = known.index(layer) if layer in known else len(known)
    return rank, layer or "", row.contract.name


def _fits(row: Row, asked: Asked) -> bool:
    text = f"{row.contract.name} {row.contract.title or ''}".lower()
    return all(word in text for word in asked.q.lower().split()) and asked.health in ("", row.health.kind)


def _tiles(rows: Sequence[Row]) -> tuple[Tile, ...]:
    kinds = Counter(row.health.kind for row in rows)
    quarantined = [row.wrote.counts_quarantined or 0 for row in rows if row.wrote]
    layers = len({row.contract.layer for row in rows})
    return (
        Tile("Contracts", number(len(rows)), f"in {layers} {'layer' if layers == 1 else 'layers'}", "/"),
        Tile("Healthy", number(kinds["good"]), "ran, and keep their promises", "/?health=good"),
        Tile("Need a look", number(kinds["warn"]), "late, waiting, or a promise broken", "/?health=warn"),
        Tile("Failing", number(kinds["bad"]), "failed, or block others", "/?health=bad"),
        Tile("Quarantined", number(sum(quarantined)), "rows of the last runs", "/review"),
    )
