"""A program of its own: runs a contract on a Spark that keeps an event log, and writes down all that it can be made to say."""

from __future__ import annotations

import io
import os
import sys
import traceback
from contextlib import redirect_stdout
from pathlib import Path
from typing import TYPE_CHECKING

from sqlglot import exp

from lakelogic import DataProcessor
from lakelogic.engines.spark.engine import SparkEngine
from lakelogic.engines.spark.session import open_session
from lakelogic.masks.base import mask_for
from lakelogic.masks.keys import load_keys, secret_names
from lakelogic.sql.types import STRING

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

MODES = ("simple", "extended", "codegen", "cost", "formatted")
CONTRACT = """
source: {path: people.json}
model:
  fields:
    - {name: id, type: string, required: true}
    - {name: email, type: string, pii: true, masking: encrypt}
    - {name: iban, type: string, pii: true, masking: encrypt, masking_mode: deterministic}
    - {name: phone, type: string, pii: true, masking: hash}
    - {name: name, type: string, pii: true, masking: tokenize}
quality:
  row_rules:
    - sql: email LIKE '%@%'
materialization: {strategy: append, target_path: people}
"""
PEOPLE = """
{"id": "1", "email": "marvin@x.com", "iban": "marvin-iban-1", "phone": "marvin-phone-1", "name": "marvin-1"}
{"id": "2", "email": "marvin, no address", "iban": "marvin-iban-2", "phone": "marvin-phone-2", "name": "marvin-2"}
"""


def main(folder: Path) -> None:
    (folder / "events").mkdir()
    settings = {
        "spark.eventLog.enabled": "true",
        "spark.eventLog.dir": (folder / "events").as_uri(),
        "spark.eventLog.compress": "false",
        "spark.driver.memory": "1g",
    }
    spark = open_session(settings, master="local[2]", warehouse=folder / "warehouse", verbose=True)
    try:
        run_contract(spark, folder)
        (folder / "errors.txt").write_text("\n".join(provoked(spark)))
        control = with_literal_key(spark, os.environ["LEAK_PROBE_CONTROL"])
        control.collect()
        (folder / "control_plan.txt").write_text(explained(control))
    finally:
        spark.stop()


def run_contract(spark: SparkSession, folder: Path) -> None:
    (folder / "people.json").write_text(PEOPLE.lstrip())
    (folder / "contract.yaml").write_text(CONTRACT)
    good, bad = DataProcessor(folder / "contract.yaml", spark=spark).run()
    (folder / "plan.txt").write_text(explained(good) + explained(bad))


def provoked(spark: SparkSession) -> list[str]:
    """What Spark says when things go wrong right beside the keys."""
    engine = SparkEngine(spark, None)
    engine.session.conf.set("spark.sql.ansi.enabled", "true")
    keys = engine.keys(load_keys(os.environ).secret_values(secret_names()))
    beside = engine.session.createDataFrame([("jane",)], "value string").crossJoin(keys)
    sealed = mask_for("encrypt").apply(exp.column("value"), STRING).sql("spark")
    mistakes = [
        "no_such_column",
        f"CAST({sealed} AS INT)",
        f"raise_error({sealed})",
        "aes_decrypt(CAST('not encrypted at all, but long enough' AS BINARY), `_ll_key_encrypt`, 'GCM')",
        "aes_encrypt(CAST(value AS BINARY), substring(`_ll_key_encrypt`, 1, 31), 'GCM')",
        "CAST(`_ll_key_encrypt` AS ARRAY<INT>)",
    ]
    return [failure(beside, mistake) for mistake in mistakes]


def failure(beside: DataFrame, sql: str) -> str:
    from pyspark.errors import PySparkException

    try:
        beside.selectExpr(f"{sql} AS wrong").collect()
    except PySparkException as error:
        return f"Failed: {error}\n{traceback.format_exc()}"
    return f"Went well: {sql}"


def with_literal_key(spark: SparkSession, key: str) -> DataFrame:
    frame = spark.createDataFrame([("jane",)], "value string")
    return frame.selectExpr(f"base64(aes_encrypt(CAST(value AS BINARY), X'{key}', 'GCM')) AS sealed")


def explained(frame: DataFrame) -> str:
    shown = io.StringIO()
    with redirect_stdout(shown):
        for mode in MODES:
            frame.explain(mode=mode)
    return shown.getvalue()


if __name__ == "__main__":
    main(Path(sys.argv[1]))
