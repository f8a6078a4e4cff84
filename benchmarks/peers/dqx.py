"""The orders with Databricks DQX: its split, then two writes. Runs in DQX's own environment."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any
from unittest.mock import MagicMock

from benchmarks.orders import REQUIRED, RULES
from benchmarks.peers.comparing import against_floor
from benchmarks.processes import Measured, Tell, answer_with
from benchmarks.ways import Written, rows_committed

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


def split_and_write(spark: SparkSession, source: Path, out: Path) -> Written:
    """Checks as DQX's metadata, its split, and the two tables."""
    from databricks.labs.dqx.engine import DQEngineCore  # type: ignore[import-not-found]
    from databricks.sdk import WorkspaceClient  # type: ignore[import-not-found]

    engine = DQEngineCore(MagicMock(spec=WorkspaceClient), spark)
    orders = spark.read.parquet(str(source))
    good, bad = engine.apply_checks_by_metadata_and_split(orders, _checks())
    good.write.format("delta").mode("append").save(str(out / "good"))
    bad.write.format("delta").mode("append").save(str(out / "bad"))
    return Written(rows_committed(out / "good"), rows_committed(out / "bad"))


def _checks() -> list[dict[str, Any]]:
    required: list[dict[str, Any]] = [
        {"criticality": "error", "check": {"function": "is_not_null", "arguments": {"column": name}}}
        for name in REQUIRED
    ]
    ruled: list[dict[str, Any]] = [
        {
            "name": name,
            "criticality": "error",
            # A rule that is NULL has failed, as everywhere in this comparison.
            "check": {"function": "sql_expression", "arguments": {"expression": f"coalesce({sql}, false)"}},
        }
        for name, sql in RULES.items()
    ]
    return [*required, *ruled]


def measure(source: str, conf: dict[str, str], repeat: int, tell: Tell) -> Measured:
    """Seconds of the floor and of DQX."""
    return against_floor(split_and_write, source, conf, repeat, tell)


if __name__ == "__main__":
    answer_with(measure)
