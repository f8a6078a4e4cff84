"""The orders with LakeLogic 1.84.0 on its Polars engine. Runs in that product's own environment."""

from __future__ import annotations

from pathlib import Path

from benchmarks.clock import take_turns
from benchmarks.light import rows_of
from benchmarks.peers.lakelogic_184 import contract_of
from benchmarks.processes import Measured, Tell, answer_with
from benchmarks.ways import Written


def split_and_write(_: None, source: Path, out: Path) -> Written:
    """The same contract, its good and bad frames, and the two tables."""
    import polars as pl

    from lakelogic import DataProcessor

    orders = pl.read_parquet(source / "*.parquet")
    good, bad = DataProcessor(contract_of(out), engine="polars").run(orders)
    for name, frame in (("good", good), ("bad", bad)):
        frame.lazy().collect().write_delta(str(out / name), mode="append")
    return Written(rows_of(out / "good"), rows_of(out / "bad"))


def measure(source: str, repeat: int, tell: Tell) -> Measured:
    """Seconds of LakeLogic 1.84.0."""
    return take_turns(None, Path(source), {"peer": split_and_write}, repeat, tell)


if __name__ == "__main__":
    answer_with(measure)
