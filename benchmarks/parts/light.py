"""The product without Spark against code by hand, and from the shell on a few rows."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from benchmarks.clock import take_turns
from benchmarks.light import LightWay, duckdb_bare, duckdb_by_hand, polars_bare, polars_by_hand, product_on
from benchmarks.processes import Measured, Tell, answer_with
from benchmarks.shell import command_seconds

_WAYS: Mapping[str, Mapping[str, LightWay]] = {
    "duckdb": {"bare": duckdb_bare, "by_hand": duckdb_by_hand, "product": product_on("duckdb")},
    "polars": {"bare": polars_bare, "by_hand": polars_by_hand, "product": product_on("polars")},
}


def measure(source: str, few: str, rows: int, repeat: int, tell: Tell) -> Measured:
    """Seconds of each way on each engine, and of the command on a small input."""
    found: Measured = {"rows": rows, "engines": {}}
    for engine, ways in _WAYS.items():
        taken = take_turns(None, Path(source), ways, repeat, lambda _: None)
        counts = {(way["good"], way["bad"]) for way in taken.values()}
        if len(counts) != 1:
            raise SystemExit(f"the ways disagree on the rows: {taken}")
        found["engines"][engine] = taken
        tell(found)
    found["command_seconds"] = [command_seconds(Path(few), "duckdb") for _ in range(repeat + 2)][1:]
    return found


if __name__ == "__main__":
    answer_with(measure)
