"""docs/reliability.md from what a torture run has recorded: a line of JSON for each kill."""

from __future__ import annotations

import json
import os
import platform
import sys
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from itertools import product
from pathlib import Path

from scripts.pages.markdown import table

PAGE = Path(__file__).parents[1] / "docs" / "reliability.md"
REFUSED = "refused"
_ENGINES = ("spark", "duckdb", "polars")
_FORMATS = ("delta", "iceberg")
_STRATEGIES = ("append", "overwrite", "merge", "scd2", "replace_partitions")

Kill = Mapping[str, object]

_HEAD = """# Reliability

Promise 2 says: killed at any instant and run again, the tables end as if it had run once. `make torture` records every kill and writes this page from the record; the figures below are those of the record it was last written from.

## How it is done

Each case is a project with one batch behind it and a second one to read. A process runs the second batch and is killed with `SIGKILL`: by itself, right after a step of the commit protocol, or by another process at an instant that nobody chose (seeded, so that it can be done again). On Spark the driver's process dies and the JVM goes on, as a cluster would. Then the contract is run again, twice: once to finish, once to see that nothing is left to do. Rows of target and quarantine, the number of commits of each table and the counts in the run log must equal those of a twin that nobody killed.

Steps: `claimed` (the number is taken), `quarantined` (bad rows are written), `writing` (the target's commit is prepared and not made), `published` (good rows are written), `logged` (the run log has its row), `closed` (the claim is finished)."""


def page(kills: Sequence[Kill], made: str) -> str:
    """The whole page."""
    done = [kill for kill in kills if kill["where"] != REFUSED]
    died = sum(bool(kill["died"]) for kill in done)
    unlike = [kill for kill in done if not kill["same"]]
    late = len(done) - died
    told = f"{len(done)} kills were sent: {died} processes died of them, {late} had ended before. {len(unlike)} ended unlike their twin."
    parts = [_HEAD, "## What was run", f"{made}. {told}", *_missing(kills), _cells(done)]
    return "\n\n".join([*parts, *_refusals(kills), *_failures(unlike), _MORE])


def _missing(kills: Sequence[Kill]) -> list[str]:
    there = {_cell(kill) for kill in kills}
    absent = [" ".join(cell) for cell in product(_ENGINES, _FORMATS, _STRATEGIES) if cell not in there]
    return [f"The record holds no kill of {', '.join(absent)}: the whole of `make torture` has them."] if absent else []


def _cells(done: Sequence[Kill]) -> str:
    cells: dict[tuple[str, ...], list[Kill]] = {}
    for kill in done:
        cells.setdefault(_cell(kill), []).append(kill)
    rows = [(*cell, *_counted(kills)) for cell, kills in sorted(cells.items())]
    return table(("engine", "format", "strategy", "at a step", "at random", "died", "like the twin"), rows)


def _cell(kill: Kill) -> tuple[str, ...]:
    return tuple(str(kill[part]) for part in ("engine", "format", "strategy"))


def _counted(kills: Sequence[Kill]) -> tuple[str, ...]:
    random = sum(str(kill["where"]).startswith("after ") for kill in kills)
    died = sum(bool(kill["died"]) for kill in kills)
    same = sum(bool(kill["same"]) for kill in kills)
    return str(len(kills) - random), str(random), str(died), f"{same} of {len(kills)}"


def _refusals(kills: Iterable[Kill]) -> list[str]:
    refused = sorted(
        {
            (f"{k['engine']}", f"{k['format']}", f"{k['strategy']}", f"{k['told']}")
            for k in kills
            if k["where"] == REFUSED
        }
    )
    if not refused:
        return []
    return [
        "Combinations that are refused before anything is read:",
        table(("engine", "format", "strategy", "told"), refused),
    ]


def _failures(unlike: Sequence[Kill]) -> list[str]:
    if not unlike:
        return []
    counted = Counter(f"{kill['engine']} {kill['format']} {kill['strategy']}, {kill['where']}" for kill in unlike)
    return ["Ended unlike their twin:", "\n".join(f"- {name}: {number}" for name, number in sorted(counted.items()))]


_MORE = """## What else is tested

| what | where |
|---|---|
| Spark killed together with its JVM | `tests/scenarios/test_killed_anywhere.py` |
| a contract that was edited, or input that is gone, after a kill | `tests/scenarios/test_killed.py` |
| a killed replay, drop or reset | `tests/scenarios/test_quarantine.py`, `tests/scenarios/test_reset.py` |
| the same input twice; a lost, reset or older state folder; races for a number | `tests/scenarios/test_exactly_once.py` |
| two drivers on one contract, and on two contracts with one target | `tests/scenarios/test_light_killed.py` |
| a full disk, places that can't be written, tables and files that vanish | `tests/scenarios/test_disasters.py` |
| any changes in any batches and in any order give the table of changes taken in order, one by one | `tests/conformance/strategies/test_properties.py` |
| leases across machines, with clocks that are wrong | `tests/unit/test_claims.py` |
| a run log that is damaged, newer, or can't be written | `tests/unit/test_runlog.py` |

`make test` runs a seeded sample of the kills."""


def _newest(kills: Sequence[Kill]) -> list[Kill]:
    """A case that was tried again at another commit counts as it was tried last."""
    last = {_cell(kill): kill["commit"] for kill in kills}
    return [kill for kill in kills if kill["commit"] == last[_cell(kill)]]


def main(source: str) -> None:
    """Write the page from a file of recorded kills."""
    kills = _newest([json.loads(line) for line in Path(source).read_text(encoding="utf-8").splitlines()])
    day = datetime.now(UTC).strftime("%Y-%m-%d")
    commits = ", ".join(f"`{commit}`" for commit in dict.fromkeys(kill["commit"] for kill in kills))
    made = f"On {day}, at {commits}, with Python {platform.python_version()} on {platform.system()}, {os.cpu_count()} processors"
    PAGE.write_text(page(kills, made) + "\n", encoding="utf-8")
    print(f"wrote {PAGE.relative_to(Path.cwd())}" if PAGE.is_relative_to(Path.cwd()) else f"wrote {PAGE}")


if __name__ == "__main__":
    main(*sys.argv[1:])
