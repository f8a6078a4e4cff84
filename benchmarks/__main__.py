"""`python -m benchmarks`: measure, show, and write the chart and the page."""

from __future__ import annotations

import argparse
from datetime import UTC, datetime
from typing import Any

from rich.console import Console

from benchmarks import chart, page, results, table
from benchmarks.machine import commit, machine_facts
from benchmarks.measuring import PARTS, MeasuringOrder, measure


def main() -> int:
    """Measure what was asked for; exit 1 if a goal is missed."""
    asked = _arguments()
    console = Console(stderr=True)
    found = results.load()
    if not asked.render:
        order = MeasuringOrder(asked.rows, asked.repeat, asked.limit, asked.soak)
        for name in _wanted(asked):
            console.print(f"measuring {name} …")
            found |= {name: measure(name, order)} | _circumstances(asked)
            found["commits"] = {**found.get("commits", {}), name: commit()}
            results.save(found)
    table.show(found, Console())
    console.print(f"Wrote {_short(results.PATH)}, {_short(chart.draw(found))} and {_short(page.write(found))}.")
    return 0 if all(goal.met for goal in results.goals(found)) else 1


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("--rows", type=int, default=10_000_000, help="orders to generate; 10_000_000 is read too")
    parser.add_argument("--repeat", type=int, default=3, help="rounds after the warm-up; the best one counts")
    parser.add_argument("--only", default="", help=f"parts to measure, of {', '.join(PARTS)}; the others are kept")
    parser.add_argument("--peers", action=argparse.BooleanOptionalAction, default=True, help="measure peers as well")
    parser.add_argument("--limit", type=float, default=600, help="seconds that a peer may take")
    parser.add_argument("--soak", type=float, default=60, help="seconds that the server is asked without a pause")
    parser.add_argument("--render", action="store_true", help="measure nothing; write chart and page again")
    return parser.parse_args()


def _wanted(asked: argparse.Namespace) -> list[str]:
    named = [name for name in asked.only.split(",") if name]
    unknown = [name for name in named if name not in PARTS]
    if unknown:
        raise SystemExit(f"unknown part: {', '.join(unknown)}. Known: {', '.join(PARTS)}.")
    return named or [name for name in PARTS if asked.peers or "peer" not in name]


def _circumstances(asked: argparse.Namespace) -> dict[str, Any]:
    return {
        "repeat": asked.repeat,
        "measured": f"{datetime.now(UTC):%Y-%m-%d}",
        "machine": machine_facts(),
    }


def _short(path: Any) -> str:
    return str(path.relative_to(page.PATH.parent.parent))


if __name__ == "__main__":
    raise SystemExit(main())
