"""A contract's page: its schema, its rules over time, its runs, its neighbours, its text."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from urllib.parse import quote

from lakelogic.observe.history import RulePoint, Run
from lakelogic.run.result import RunResult
from lakelogic.serve.pages.charts.bars import Bar, Batch, bars
from lakelogic.serve.pages.links import review_link, run_link
from lakelogic.serve.pages.states import State, freshness, health
from lakelogic.serve.pages.views.parts import Tile
from lakelogic.serve.pages.views.rules import RuleRow, rule_rows
from lakelogic.serve.reading.contracts import ContractColumn, ContractDetail, ContractSummary
from lakelogic.wording import number, share

_SHOWN_RUNS = 10
_BARS = 40
_COMMENT = re.compile(r"(?P<rest>(?:[^#'\"]|'[^']*'|\"(?:\\.|[^\"\\])*\"|(?<=\S)#)*?)(?P<comment>(?<!\S)#.*)")
_KEY = re.compile(r"(?P<key>\s*(?:- )?[\w.-]+:)(?=\s|$)")
# A secret belongs into a variable; one that somebody wrote into the file is still nobody's to read here.
_SECRET = re.compile(
    r"(?i)((?:password|passwd|secret|token|api_key|access_key|account_key)\w*['\"]?\s*[:=]\s*)(?!\$\{)[^\s,}&;]+"
)


@dataclass(frozen=True)
class Neighbour:
    """A contract before or after this one, and why."""

    name: str
    because: str
    health: State


@dataclass(frozen=True)
class ContractPage:
    """All that the page shows."""

    contract: ContractDetail
    about: tuple[tuple[str, str], ...]
    health: State
    tiles: tuple[Tile, ...]
    bars: tuple[Bar, ...]
    upstream: tuple[Neighbour, ...]
    downstream: tuple[Neighbour, ...]
    rules: tuple[RuleRow, ...]
    columns: tuple[tuple[ContractColumn, tuple[str, ...], tuple[str, ...]], ...]
    runs: tuple[Run, ...]
    yaml: tuple[tuple[str, str, str], ...]

    @property
    def name(self) -> str:
        return self.contract.summary.name


def contract_page(
    contract: ContractDetail,
    others: Mapping[str, ContractSummary],
    last: RunResult | None,
    runs: Sequence[Run],
    total: int,
    points: Sequence[RulePoint],
    now: datetime,
) -> ContractPage:
    """The page; `runs` are the newest of a `total`, newest first, `last` is the last one that judged rows."""
    wrote = [run for run in runs if run.status == "succeeded" and not run.is_command]
    return ContractPage(
        contract=contract,
        about=_about(contract),
        health=health(contract.summary, last),
        tiles=_tiles(contract.summary, wrote[0] if wrote else None, total, now),
        bars=bars([_batch(run) for run in reversed(wrote[:_BARS])]),
        upstream=_neighbours(contract.upstream, others),
        downstream=_neighbours(contract.downstream, others),
        rules=rule_rows(last, points, contract.rules),
        columns=tuple((column, _holds(column), _guarded(column)) for column in contract.columns),
        runs=tuple(runs[:_SHOWN_RUNS]),
        yaml=tuple(_line(line) for line in contract.yaml.splitlines()),
    )


def _neighbours(reasons: Mapping[str, str], others: Mapping[str, ContractSummary]) -> tuple[Neighbour, ...]:
    return tuple(
        Neighbour(name, because, health(others[name], None)) for name, because in reasons.items() if name in others
    )


def _about(contract: ContractDetail) -> tuple[tuple[str, str], ...]:
    summary = contract.summary
    told = (
        ("Owner", summary.owner),
        ("Domain", summary.domain),
        ("System", summary.system),
        ("Version", contract.version),
        ("Key", ", ".join(contract.primary_key)),
        ("Writes", contract.strategy),
    )
    return tuple((key, value) for key, value in told if value)


def _tiles(summary: ContractSummary, wrote: Run | None, runs: int, now: datetime) -> tuple[Tile, ...]:
    fresh = freshness(summary, now)
    word, _, age = (fresh.word if fresh else "no promise").partition(", ")
    quality = "unknown" if wrote is None or wrote.quality_score is None else f"{wrote.quality_score:g}"
    ratio = wrote.quarantine_ratio if wrote else None
    name = summary.name
    return (
        Tile("Quality", quality, "of 100, last run with rows", "#rules"),
        Tile("Freshness", word, age or "the contract promises none", "#runs"),
        Tile("Good rows", number(wrote.counts_good) if wrote else "none", "last run with rows", "#history"),
        Tile(
            "Quarantined",
            number(wrote.counts_quarantined) if wrote else "none",
            "last run with rows" if ratio is None else f"{share(ratio, 1)} of the last run's rows",
            review_link(name),
        ),
        Tile("Runs", number(runs), "in the run log", f"/runs?contract={quote(name, safe='')}"),
    )


def _batch(run: Run) -> Batch:
    when = run.started_at.strftime("%Y-%m-%d %H:%M") if run.started_at else "unknown"
    told = f"{when} UTC: {number(run.counts_good)} good, {number(run.counts_quarantined)} quarantined"
    return Batch(told, run_link(run), run.counts_good, run.counts_quarantined)


def _holds(column: ContractColumn) -> tuple[str, ...]:
    return tuple(word for word, said in (("key", column.key), ("required", column.required)) if said)


def _guarded(column: ContractColumn) -> tuple[str, ...]:
    masked = f"masked: {column.masking}" if column.masking else "not masked"
    return (("private",) if column.private else ()) + ((masked,) if column.private or column.masking else ())


def _line(line: str) -> tuple[str, str, str]:
    """A line of YAML as its key, its value and its comment; what looks like a secret is left out."""
    text = _SECRET.sub(r"\1***", line)
    found = _COMMENT.fullmatch(text)
    rest, comment = (found["rest"], found["comment"]) if found else (text, "")
    key = _KEY.match(rest)
    return (key["key"], rest[key.end() :], comment) if key else ("", rest, comment)
