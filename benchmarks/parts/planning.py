"""A plan of a hundred rules, on a session that is warm."""

from __future__ import annotations

import time
from pathlib import Path

from benchmarks.orders import WORK, generate, write_contract
from benchmarks.processes import Measured, Tell, answer_with
from benchmarks.session import settings, start
from benchmarks.ways import emptied


def measure(rows: int, rules: int, repeat: int, tell: Tell) -> Measured:
    """Seconds from the contract's file to its plan."""
    spark = start(settings())
    source = generate(spark, rows)
    folder = emptied(WORK / "out" / "planning")
    contract = write_contract(folder, rules)
    return {"rules": rules, "seconds": [_plan(contract, source) for _ in range(repeat + 1)][1:]}


def _plan(contract: Path, source: Path) -> float:
    from lakelogic import DataProcessor

    began = time.perf_counter()
    DataProcessor(contract).plan(source=str(source), target=str(contract.parent / "good"))
    return round(time.perf_counter() - began, 3)


if __name__ == "__main__":
    answer_with(measure)
