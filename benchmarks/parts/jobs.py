"""Spark jobs of a run: as many for sixty rules as for six."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from benchmarks.orders import WORK, generate, write_contract
from benchmarks.processes import Measured, Tell, answer_with
from benchmarks.session import settings, start
from benchmarks.ways import emptied

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


def measure(rows: int, rules: list[int], tell: Tell) -> Measured:
    """Jobs for each number of rules."""
    spark = start(settings())
    source = generate(spark, rows)
    jobs = {str(count): _jobs_of_run(spark, str(source), count) for count in rules}
    return {"rows": rows, "jobs": jobs}


def _jobs_of_run(spark: SparkSession, source: str, rules: int) -> int:
    from lakelogic import DataProcessor

    out = emptied(WORK / "out" / "jobs")
    processor = DataProcessor(write_contract(out, rules), spark=spark)
    before = jobs_so_far(spark)
    processor.run_source(source, target=str(out / "good"))
    return jobs_so_far(spark) - before


def jobs_so_far(spark: SparkSession) -> int:
    """From the store behind Spark's own pages, which knows the jobs of all threads."""
    context: Any = spark.sparkContext._jsc.sc()
    context.listenerBus().waitUntilEmpty()
    return int(context.statusStore().jobsList(None).size())


if __name__ == "__main__":
    answer_with(measure)
