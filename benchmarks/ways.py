"""The ways from orders to tables: the floor, an expert's code, and the product."""

from __future__ import annotations

import json
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.orders import REQUIRED, RULES, write_contract

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


@dataclass(frozen=True)
class Written:
    """Rows that a way says it wrote; None where it does not say."""

    good: int | None
    bad: int | None


def floor(spark: SparkSession, source: Path, out: Path) -> Written:
    """Read parquet, write Delta; nothing is judged."""
    spark.read.parquet(str(source)).write.format("delta").mode("append").save(str(out / "all"))
    return Written(None, None)


def by_hand(spark: SparkSession, source: Path, out: Path) -> Written:
    """What an expert writes in PySpark: one predicate, good rows, then bad rows with their errors, counts from Delta."""
    from pyspark.sql import functions as F

    orders = spark.read.parquet(str(source))
    rules = {f"{name} is required": f"{name} IS NOT NULL" for name in REQUIRED} | dict(RULES)
    passes = " AND ".join(f"({sql})" for sql in rules.values())
    errors = ", ".join(f"IF({sql}, NULL, '{name}')" for name, sql in rules.items())
    orders.where(passes).write.format("delta").mode("append").save(str(out / "good"))
    failing = orders.where(f"NOT coalesce({passes}, false)")
    failing = failing.withColumn("errors", F.expr(f"array_compact(array({errors}))"))
    failing.write.format("delta").mode("append").save(str(out / "bad"))
    return Written(rows_committed(out / "good"), rows_committed(out / "bad"))


def product(spark: SparkSession, source: Path, out: Path) -> Written:
    """The product, from loading the contract to the row of the run log."""
    from lakelogic import DataProcessor

    processor = DataProcessor(write_contract(out), spark=spark)
    result = processor.run_source(str(source), target=str(out / "good"))
    return Written(result.counts.good, result.counts.quarantined)


def emptied(folder: Path) -> Path:
    """The folder, with nothing in it."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    return folder


def rows_committed(table: Path) -> int:
    """What the first commit of a Delta table says of its rows."""
    log = (table / "_delta_log" / f"{0:020d}.json").read_text(encoding="utf-8")
    commit = next(entry["commitInfo"] for entry in map(json.loads, log.splitlines()) if "commitInfo" in entry)
    return int(commit["operationMetrics"]["numOutputRows"])
