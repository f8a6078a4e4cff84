"""The orders with LakeLogic 1.84.0: its split, then two writes. Runs in that product's own environment."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.orders import contract
from benchmarks.peers.comparing import against_floor
from benchmarks.processes import Measured, Tell, answer_with
from benchmarks.ways import Written, rows_committed

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


def split_and_write(spark: SparkSession, source: Path, out: Path) -> Written:
    """The same contract, its good and bad frames, and the two tables."""
    from lakelogic import DataProcessor

    orders = spark.read.parquet(str(source))
    good, bad = DataProcessor(contract_of(out), engine="spark").run(orders)
    good.write.format("delta").mode("append").save(str(out / "good"))
    bad.write.format("delta").mode("append").save(str(out / "bad"))
    return Written(rows_committed(out / "good"), rows_committed(out / "bad"))


def contract_of(folder: Path) -> Path:
    """The contract in the words of that product."""
    asked = contract()
    wanted = {"version": "1.0", "dataset": "orders", "model": asked["model"], "quality": asked["quality"]}
    path = folder / "contract.yaml"
    path.write_text(json.dumps(wanted), encoding="utf-8")
    return path


def measure(source: str, conf: dict[str, str], repeat: int, tell: Tell) -> Measured:
    """Seconds of the floor and of LakeLogic 1.84.0."""
    return against_floor(split_and_write, source, conf, repeat, tell)


if __name__ == "__main__":
    answer_with(measure)
