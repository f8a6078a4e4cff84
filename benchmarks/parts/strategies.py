"""Changes into a large table: the product against Delta by hand, for append, merge and scd2."""

from __future__ import annotations

import json
import os
import shutil
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchmarks.orders import WORK
from benchmarks.processes import Measured, Tell, answer_with
from benchmarks.session import settings, start
from benchmarks.ways import emptied

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_SHARE = 20
_CUSTOMERS = """
    SELECT id, format_string('customer %d of %s', id, '{mark}') AS name, CAST(id % 97 AS STRING) AS city,
           CAST(id % 1000 AS DOUBLE) AS amount, timestamp_seconds({at} + id % 3600) AS updated_at
    FROM range({start}, {end}, {step}, 2)
"""
_MERGE = """
    MERGE INTO delta.`{table}` AS t USING changes AS s ON t.id = s.id
    WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *
"""
_CLOSE = """
    MERGE INTO delta.`{table}` AS t USING changes AS s ON t.id = s.id AND t.is_current
    WHEN MATCHED AND NOT (t.name <=> s.name AND t.city <=> s.city AND t.amount <=> s.amount)
    THEN UPDATE SET effective_to = s.updated_at, is_current = false
"""
_OPEN = """
    INSERT INTO delta.`{table}`
    SELECT s.*, s.updated_at AS effective_from, TIMESTAMP '9999-12-31' AS effective_to, true AS is_current,
           md5(concat_ws('|', s.id, s.updated_at)) AS _sk
    FROM changes AS s LEFT ANTI JOIN (SELECT id FROM delta.`{table}` WHERE is_current) AS c ON s.id = c.id
"""
Way = Callable[[], None]


def measure(rows: int, repeat: int, tell: Tell) -> Measured:
    """Seconds of both for each strategy; a twentieth of the rows changes or is new."""
    spark = start(settings())
    changes = rows // _SHARE
    base, batch = WORK / f"customers-{rows}", WORK / f"customers-{rows}-changes"
    _generate(spark, base, mark="base", at=1_700_000_000, start=0, end=rows, step=1)
    # Every twentieth customer, and as many again in ten that are new.
    _generate(spark, batch, mark="changed", at=1_710_000_000, start=0, end=rows + rows // 10, step=_SHARE)
    emptied(WORK / "out" / "strategies")
    found: dict[str, Any] = {}
    for strategy in ("append", "merge", "scd2"):
        # Appending does not look at the table, so its batch is a large one.
        new = base if strategy == "append" else batch
        spark.read.parquet(str(new)).createOrReplaceTempView("changes")
        ways = {"by_hand": _by_hand(spark, strategy, base), "product": _product(spark, strategy, base, new)}
        found[strategy] = _taken(ways, repeat)
        tell({"rows": rows, "changes": changes, "strategies": found})
    return {"rows": rows, "changes": changes, "strategies": found}


def _generate(spark: SparkSession, folder: Path, **values: object) -> None:
    if not (folder / "_SUCCESS").exists():
        spark.sql(_CUSTOMERS.format(**values)).write.mode("overwrite").parquet(str(folder))


def _taken(ways: Mapping[str, tuple[Way, Way]], repeat: int) -> dict[str, Any]:
    """Each way once to warm up, then in turns; what prepares a go is not counted."""
    seconds: dict[str, list[float]] = {name: [] for name in ways}
    for turn in range(repeat + 1):
        for name, (prepare, go) in ways.items():
            prepare()
            os.sync()
            began = time.perf_counter()
            go()
            if turn:
                seconds[name].append(round(time.perf_counter() - began, 3))
    return {name: {"seconds": taken} for name, taken in seconds.items()}


def _by_hand(spark: SparkSession, strategy: str, base: Path) -> tuple[Way, Way]:
    table, kept = (WORK / "out" / "strategies" / f"{strategy}-by-hand-{part}" for part in ("table", "base"))
    rows = spark.read.parquet(str(base))
    if strategy == "scd2":
        bounds = ["TIMESTAMP '1900-01-01' AS effective_from", "TIMESTAMP '9999-12-31' AS effective_to"]
        rows = rows.selectExpr("*", *bounds, "true AS is_current", "md5(concat_ws('|', id, updated_at)) AS _sk")
    rows.write.format("delta").mode("overwrite").save(str(kept))

    def go() -> None:
        if strategy == "append":
            spark.table("changes").write.format("delta").mode("append").save(str(table))
        for statement in {"merge": [_MERGE], "scd2": [_CLOSE, _OPEN]}.get(strategy, []):
            spark.sql(statement.format(table=table)).collect()

    return lambda: _copied(kept, table), go


def _product(spark: SparkSession, strategy: str, base: Path, batch: Path) -> tuple[Way, Way]:
    from lakelogic import DataProcessor

    folder = emptied(WORK / "out" / "strategies" / strategy)
    history = {"scd2": {"timestamp_field": "updated_at"}} if strategy == "scd2" else {}
    contract = {
        "dataset": "customers",
        "source": {"path": str(base), "format": "parquet"},
        "primary_key": ["id"] if strategy != "append" else [],
        "lineage": {"enabled": False},
        "materialization": {"strategy": strategy, "target_path": "table", **history},
    }
    (folder / "contract.yaml").write_text(json.dumps(contract), encoding="utf-8")
    DataProcessor(folder / "contract.yaml", spark=spark).run()
    shutil.move(folder / "table", folder / "base")

    def go() -> None:
        DataProcessor(folder / "contract.yaml", spark=spark).run_source(str(batch), force=True)

    return lambda: _copied(folder / "base", folder / "table"), go


def _copied(table: Path, to: Path) -> None:
    """A copy of a table; its data files, which never change, are only linked."""
    shutil.rmtree(to, ignore_errors=True)
    shutil.copytree(table / "_delta_log", to / "_delta_log")
    for file in table.glob("*.parquet"):
        os.link(file, to / file.name)


if __name__ == "__main__":
    answer_with(measure)
