"""Writing Delta tables with Spark: each write carries its run, and a repeated one is a no-op."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from lakelogic.engines.base import Stamp
from lakelogic.engines.commits import told
from lakelogic.engines.spark.tables import Table
from lakelogic.errors import WriteError
from lakelogic.plan.model import TablePlan
from lakelogic.sql.build import quoted
from lakelogic.write.operations import AppendRows, MergeRows, ReplaceRows

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

_TXN_APP = "spark.databricks.delta.write.txnAppId"
_TXN_VERSION = "spark.databricks.delta.write.txnVersion"
_METADATA = "spark.databricks.delta.commitInfo.userMetadata"
_BATCH = "_ll_batch"
# Parquet can't hold these in a column's name; a table that maps names to its own can.
_NEEDS_MAPPING = re.compile(r"[ ,;{}()\n\t=]")


@contextmanager
def stamped(session: SparkSession, stamp: Stamp) -> Iterator[None]:
    """Every Delta commit inside carries the run, and is skipped if its number was committed before."""
    session.conf.set(_METADATA, told(stamp))
    session.conf.set(_TXN_APP, stamp.app_id)
    session.conf.set(_TXN_VERSION, str(stamp.sequence))
    try:
        yield
    finally:
        for key in (_TXN_APP, _TXN_VERSION, _METADATA):
            session.conf.unset(key)


def write(session: SparkSession, table: Table, plan: TablePlan, frame: DataFrame, stamp: Stamp, *, there: bool) -> None:
    """Apply the plan's operation in one commit. The first rows of a table are appended, whatever the operation."""
    match plan.operation:
        case MergeRows() as merge if there:
            _add_columns(session, table, plan, frame)
            frame.createOrReplaceTempView(_BATCH)
            statement = merge_statement(table.sql, _BATCH, merge, frame.columns)
            with stamped(session, stamp):
                session.sql(statement).collect()
        case ReplaceRows():
            with stamped(session, stamp):
                _save(table, plan, frame, "overwrite", "overwriteSchema", there=there)
        case AppendRows() | MergeRows():
            with stamped(session, stamp):
                _save(table, plan, frame, "append", "mergeSchema", there=there)
        case other:
            raise WriteError(f"Spark can't apply {type(other).__name__}.")


def _save(table: Table, plan: TablePlan, frame: DataFrame, mode: str, evolution: str, *, there: bool) -> None:
    properties = dict(plan.properties)
    if not there and any(_NEEDS_MAPPING.search(name) for name in frame.columns):
        properties.setdefault("delta.columnMapping.mode", "name")
    writer = frame.write.format("delta").mode(mode).options(**properties)
    if plan.partition_by:
        writer = writer.partitionBy(*plan.partition_by)
    if plan.evolve:
        writer = writer.option(evolution, "true")
    if table.path is not None:
        writer.save(table.path)
    else:
        writer.saveAsTable(table.sql)


def merge_statement(target: str, batch: str, merge: MergeRows, columns: list[str]) -> str:
    """The MERGE of a batch into a table."""
    keys = " AND ".join(f"t.{quoted(key)} = s.{quoted(key)}" for key in merge.keys)
    fixed = {name.lower() for name in (*merge.keys, *merge.insert_only)}
    updates = ", ".join(f"t.{quoted(name)} = s.{quoted(name)}" for name in columns if name.lower() not in fixed)
    differs = ""
    if merge.compare:
        differs = " AND NOT (" + " AND ".join(f"t.{quoted(name)} <=> s.{quoted(name)}" for name in merge.compare) + ")"
    # With nothing to compare a match never differs: the table has keys only.
    matched = f"WHEN MATCHED{differs} THEN UPDATE SET {updates} " if updates and merge.compare != () else ""
    names = ", ".join(quoted(name) for name in columns)
    values = ", ".join(f"s.{quoted(name)}" for name in columns)
    return (
        f"MERGE INTO {target} AS t USING {batch} AS s ON {keys} "
        f"{matched}WHEN NOT MATCHED THEN INSERT ({names}) VALUES ({values})"
    )


def _add_columns(session: SparkSession, table: Table, plan: TablePlan, frame: DataFrame) -> None:
    """A commit of its own, without the run's stamp: it must not pass for the write of the rows."""
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
    columns = ", ".join(f"{quoted(field.name)} {field.dataType.simpleString()}" for field in new)
    session.sql(f"ALTER TABLE {table.sql} ADD COLUMNS ({columns})")
