"""A program of its own: masks on a Spark that keeps an event log, and writes down all that it can be made to say."""

from __future__ import annotations

import io
import os
import sys
import traceback
from contextlib import redirect_stdout
from pathlib import Path
from typing import TYPE_CHECKING

from sqlglot import exp

from lakelogic.engines.spark.session import open_session
from lakelogic.masks.base import mask_for
from lakelogic.masks.keys import load_keys, secret_names
from lakelogic.masks.raw import raw_expression
from lakelogic.sql.types import STRING

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

VALUE = exp.column("value")
MODES = ("simple", "extended", "codegen", "cost", "formatted")


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
        beside = rows_beside_keys(spark)
        masked = masked_columns(beside)
        masked.write.parquet(str(folder / "table"))
        (folder / "plan.txt").write_text(explained(masked))
        (folder / "errors.txt").write_text("\n".join(provoked(spark, beside)))
        control = with_literal_key(spark, os.environ["LEAK_PROBE_CONTROL"])
        control.collect()
        (folder / "control_plan.txt").write_text(explained(control))
    finally:
        spark.stop()


def rows_beside_keys(spark: SparkSession) -> DataFrame:
    from pyspark.sql.functions import broadcast

    values = load_keys(os.environ).secret_values(secret_names())
    schema = ", ".join(f"`_ll_key_{name}` binary" for name in values)
    key_row = spark.createDataFrame([tuple(bytearray(value) for value in values.values())], schema)
    return spark.createDataFrame([("jane@x.com",)], "value string").crossJoin(broadcast(key_row))


def masked_columns(beside: DataFrame) -> DataFrame:
    columns = {
        "hashed": mask_for("hash").apply(VALUE, STRING),
        "token": mask_for("tokenize").apply(VALUE, STRING),
        "sealed": mask_for("encrypt").apply(VALUE, STRING),
        "stable": mask_for("encrypt", deterministic=True).apply(VALUE, STRING),
        "raw": raw_expression(VALUE),
    }
    return beside.selectExpr(*(f"{tree.sql('spark')} AS {name}" for name, tree in columns.items()))


def provoked(spark: SparkSession, beside: DataFrame) -> list[str]:
    """What Spark says when things go wrong right beside the keys."""
    spark.conf.set("spark.sql.ansi.enabled", "true")
    sealed = mask_for("encrypt").apply(VALUE, STRING).sql("spark")
    mistakes = [
        "no_such_column",
        f"CAST({sealed} AS INT)",
        f"raise_error({sealed})",
        "aes_decrypt(CAST('not encrypted at all, but long enough' AS BINARY), `_ll_key_encrypt`, 'GCM')",
        "aes_encrypt(CAST(value AS BINARY), substring(`_ll_key_encrypt`, 1, 31), 'GCM')",
        "CAST(substring(`_ll_key_encrypt`, 1, 0) AS ARRAY<INT>)",
    ]
    return [failure(beside, mistake) for mistake in mistakes]


def failure(beside: DataFrame, sql: str) -> str:
    from pyspark.errors import PySparkException

    try:
        beside.selectExpr(f"{sql} AS wrong").collect()
    except PySparkException as error:
        return f"Error: {error}\n{traceback.format_exc()}"
    return f"no failure: {sql}"


def with_literal_key(spark: SparkSession, key: str) -> DataFrame:
    frame = spark.createDataFrame([("jane@x.com",)], "value string")
    return frame.selectExpr(f"base64(aes_encrypt(CAST(value AS BINARY), X'{key}', 'GCM')) AS sealed")


def explained(frame: DataFrame) -> str:
    shown = io.StringIO()
    with redirect_stdout(shown):
        for mode in MODES:
            frame.explain(mode=mode)
    return shown.getvalue()


if __name__ == "__main__":
    main(Path(sys.argv[1]))
