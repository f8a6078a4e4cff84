"""Writing Delta tables with Spark: each write carries its run, and a repeated one is a no-op."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from lakelogic.engines.base import Stamp
from lakelogic.engines.spark.tables import Table
from lakelogic.errors import WriteError
from lakelogic.plan.model import TablePlan

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

_TXN_APP = "spark.databricks.delta.write.txnAppId"
_TXN_VERSION = "spark.databricks.delta.write.txnVersion"
_METADATA = "spark.databricks.delta.commitInfo.userMetadata"


@contextmanager
def stamped(session: SparkSession, stamp: Stamp) -> Iterator[None]:
    """Every Delta commit inside carries the run, and is skipped if its number was committed before."""
    told = {
        "run_id": stamp.run_id,
        "app_id": stamp.app_id,
        "sequence": stamp.sequence,
        "plan": stamp.fingerprint,
        "input": stamp.input_digest,
    }
    session.conf.set(_METADATA, json.dumps(told, sort_keys=True))
    session.conf.set(_TXN_APP, stamp.app_id)
    session.conf.set(_TXN_VERSION, str(stamp.sequence))
    try:
        yield
    finally:
        for key in (_TXN_APP, _TXN_VERSION, _METADATA):
            session.conf.unset(key)


def write_rows(table: Table, plan: TablePlan, frame: DataFrame) -> None:
    """Append, or replace all rows."""
    writer = frame.write.format("delta").mode(plan.strategy)
    if plan.partition_by:
        writer = writer.partitionBy(*plan.partition_by)
    if plan.evolve:
        writer = writer.option("mergeSchema" if plan.strategy == "append" else "overwriteSchema", "true")
    for key, value in plan.properties:
        writer = writer.option(key, value)
    if table.path is not None:
        writer.save(table.path)
    else:
        writer.saveAsTable(table.sql)


def merge_rows(session: SparkSession, table: Table, plan: TablePlan, frame: DataFrame) -> None:
    """Update rows whose key is there and differ, insert the others."""
    _add_columns(session, table, plan, frame)
    view = "_ll_merge_source"
    frame.createOrReplaceTempView(view)
    session.sql(merge_statement(table.sql, view, plan, frame.columns)).collect()


def merge_statement(target: str, view: str, plan: TablePlan, columns: list[str]) -> str:
    """The MERGE of a batch into a table."""
    keys = " AND ".join(f"t.{_q(key)} = s.{_q(key)}" for key in plan.keys)
    lowered = {key.lower() for key in (*plan.keys, *plan.insert_only)}
    updates = ", ".join(f"t.{_q(c)} = s.{_q(c)}" for c in columns if c.lower() not in lowered)
    differs = ""
    if plan.compare:
        differs = " AND NOT (" + " AND ".join(f"t.{_q(c)} <=> s.{_q(c)}" for c in plan.compare) + ")"
    matched = f"WHEN MATCHED{differs} THEN UPDATE SET {updates} " if updates and plan.compare != () else ""
    names = ", ".join(_q(column) for column in columns)
    values = ", ".join(f"s.{_q(column)}" for column in columns)
    return (
        f"MERGE INTO {target} AS t USING {view} AS s ON {keys} "
        f"{matched}WHEN NOT MATCHED THEN INSERT ({names}) VALUES ({values})"
    )


def _add_columns(session: SparkSession, table: Table, plan: TablePlan, frame: DataFrame) -> None:
    there = {name.lower() for name in session.sql(f"SELECT * FROM {table.sql} LIMIT 0").columns}
    new = [field for field in frame.schema.fields if field.name.lower() not in there]
    if not new:
        return
    if not plan.evolve:
        listed = ", ".join(field.name for field in new)
        raise WriteError(
            f"{table.shown} has no column {listed}, and schema_policy.evolution is strict.",
            cure="Add the columns to the table, or use 'evolution: append'.",
        )
    columns = ", ".join(f"{_q(field.name)} {field.dataType.simpleString()}" for field in new)
    session.sql(f"ALTER TABLE {table.sql} ADD COLUMNS ({columns})")


def _q(name: str) -> str:
    return "`" + name.replace("`", "``") + "`"
