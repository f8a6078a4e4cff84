"""Writing Delta tables with Spark: each write carries its run, and a repeated one is a no-op."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

from lakelogic.engines.base import Stamp
from lakelogic.engines.commits import told
from lakelogic.engines.fitting import refuse_misfit, refuse_new
from lakelogic.engines.slices import condition_of, for_spark, slices_of
from lakelogic.engines.spark.tables import Table
from lakelogic.engines.spark.types import columns_of
from lakelogic.errors import WriteError
from lakelogic.plan.model import TablePlan
from lakelogic.sql.build import quoted
from lakelogic.sql.types import Columns, is_nested, type_name
from lakelogic.write.operations import AppendRows, MergeRows, ReplaceRows, ReplaceSlices

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

_TXN_APP = "spark.databricks.delta.write.txnAppId"
_TXN_VERSION = "spark.databricks.delta.write.txnVersion"
_METADATA = "spark.databricks.delta.commitInfo.userMetadata"
# A batch of some megabytes goes to the table's rows, rather than all of them through a shuffle to meet it; where they
# must meet in one, it is looked up and not sorted with them. Its rows are worked out once.
_FOR_MERGES = {
    "spark.sql.autoBroadcastJoinThreshold": str(64 * 2**20),
    "spark.sql.adaptive.maxShuffledHashJoinLocalMapThreshold": str(64 * 2**20),
    "spark.databricks.delta.merge.materializeSource": "all",
}
_BATCH = "_ll_batch"
# Parquet can't hold these in a column's name; a table that maps names to its own can.
_NEEDS_MAPPING = re.compile(r"[ ,;{}()\n\t=]")


@contextmanager
def saying(session: SparkSession, text: str) -> Iterator[None]:
    """Every Delta commit inside says this."""
    session.conf.set(_METADATA, text)
    try:
        yield
    finally:
        session.conf.unset(_METADATA)


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


@contextmanager
def _merging(session: SparkSession) -> Iterator[None]:
    """What a merge runs best with, but for what the user has set."""
    free = [name for name in _FOR_MERGES if session.conf.get(name, None) is None]
    for name in free:
        session.conf.set(name, _FOR_MERGES[name])
    try:
        yield
    finally:
        for name in free:
            session.conf.unset(name)


def write(session: SparkSession, table: Table, plan: TablePlan, frame: DataFrame, stamp: Stamp, *, there: bool) -> None:
    """Apply the plan's operation in one commit. The first rows of a table are appended, whatever the operation."""
    if there and not (isinstance(plan.operation, ReplaceRows) and plan.takes_columns):
        frame = _fitted(session, table, plan, frame)
    match plan.operation:
        case MergeRows() as merge if there:
            kept = frame.drop(merge.gone) if merge.gone else frame
            _add_columns(session, table, kept)
            frame.createOrReplaceTempView(_BATCH)
            statement = merge_statement(table.sql, _BATCH, merge, kept.columns, _bounds(plan, merge, frame))
            with stamped(session, stamp), _merging(session):
                session.sql(statement).collect()
        case ReplaceSlices() as slices if there:
            which = _replaced(plan, slices, frame)
            with stamped(session, stamp):
                _save(table, plan, frame, "overwrite", "mergeSchema", there=there, options=which)
        case ReplaceRows():
            with stamped(session, stamp):
                evolution = "overwriteSchema" if plan.takes_columns else "mergeSchema"
                _save(table, plan, frame, "overwrite", evolution, there=there)
        case AppendRows() | MergeRows() | ReplaceSlices():
            with stamped(session, stamp):
                _save(table, plan, staying(plan, frame), "append", "mergeSchema", there=there)
        case other:
            raise WriteError(f"Spark can't apply {type(other).__name__}.")


def staying(plan: TablePlan, frame: DataFrame) -> DataFrame:
    """The rows of a merge into a table that is not there yet: none can be taken out of it."""
    gone = plan.operation.gone if isinstance(plan.operation, MergeRows) else None
    return frame.where(f"NOT {quoted(gone)}").drop(gone) if gone else frame


def _replaced(plan: TablePlan, slices: ReplaceSlices, frame: DataFrame) -> dict[str, str]:
    """The writer's options that say which rows give way."""
    by_partition = {name.lower() for name in slices.columns} == {name.lower() for name in plan.partition_by}
    if slices.where is None and by_partition:
        return {"partitionOverwriteMode": "dynamic"}
    return {"replaceWhere": replaced(slices, frame)}


def replaced(slices: ReplaceSlices, frame: DataFrame) -> str:
    """Which rows of a table give way, as a condition."""
    if slices.where is not None:
        return for_spark(condition_of(slices.where))
    rows = frame.select(*(quoted(name) for name in slices.columns)).distinct()
    return for_spark(slices_of((row.asDict() for row in rows.collect()), columns_of(rows.schema)))


def _save(
    table: Table,
    plan: TablePlan,
    frame: DataFrame,
    mode: str,
    evolution: str,
    *,
    there: bool,
    options: dict[str, str] | None = None,
) -> None:
    properties = dict(plan.properties)
    if not there and any(_NEEDS_MAPPING.search(name) for name in frame.columns):
        properties.setdefault("delta.columnMapping.mode", "name")
    writer = frame.write.format("delta").mode(mode).options(**properties, **(options or {}))
    if plan.partition_by:
        writer = writer.partitionBy(*plan.partition_by)
    if plan.evolve:
        writer = writer.option(evolution, "true")
    if plan.storage and not there:
        writer = writer.option("path", plan.storage)
    if table.path is not None:
        writer.save(table.path)
    else:
        writer.saveAsTable(table.sql)


def _bounds(plan: TablePlan, merge: MergeRows, frame: DataFrame) -> list[str]:
    """Where the batch's keys lie in the table's partitions: MERGE reads all of them unless it is told by literals."""
    from pyspark.sql import functions as F

    parts = {name.lower() for name in plan.partition_by}
    names = [key for key in merge.keys if key.lower() in parts]
    if not names:
        return []
    edges = [edge(quoted(name)).cast("string") for name in names for edge in (F.min, F.max)]
    row = frame.agg(*(edge.alias(f"e{place}") for place, edge in enumerate(edges))).first()
    kinds = {field.name.lower(): field.dataType.simpleString() for field in frame.schema.fields}
    bounds = []
    for place, name in enumerate(names):
        low, high = (row[f"e{2 * place + side}"] if row is not None else None for side in (0, 1))
        if low is not None and high is not None:
            ends = " AND ".join(f"CAST({_text(value)} AS {kinds[name.lower()]})" for value in (low, high))
            bounds.append(f"t.{quoted(name)} BETWEEN {ends}")
    return bounds


def _text(value: str) -> str:
    return "'" + value.replace("\\", "\\\\").replace("'", "\\'") + "'"


def merge_statement(target: str, batch: str, merge: MergeRows, columns: list[str], bounds: Sequence[str] = ()) -> str:
    """The MERGE of a batch into a table; `bounds` are what is known of all its keys."""
    keys = " AND ".join([*(f"t.{quoted(key)} = s.{quoted(key)}" for key in merge.keys), *bounds])
    fixed = {name.lower() for name in (*merge.keys, *merge.insert_only)}
    updates = ", ".join(f"t.{quoted(name)} = s.{quoted(name)}" for name in columns if name.lower() not in fixed)
    differs = ""
    if merge.compare:
        differs = " AND NOT (" + " AND ".join(f"t.{quoted(name)} <=> s.{quoted(name)}" for name in merge.compare) + ")"
    # With nothing to compare a match never differs: the table has keys only.
    matched = f"WHEN MATCHED{differs} THEN UPDATE SET {updates} " if updates and merge.compare != () else ""
    names = ", ".join(quoted(name) for name in columns)
    values = ", ".join(f"s.{quoted(name)}" for name in columns)
    deleted = f"WHEN MATCHED AND s.{quoted(merge.gone)} THEN DELETE " if merge.gone else ""
    stays = f" AND NOT s.{quoted(merge.gone)}" if merge.gone else ""
    return (
        f"MERGE INTO {target} AS t USING {batch} AS s ON {keys} "
        f"{deleted}{matched}WHEN NOT MATCHED{stays} THEN INSERT ({names}) VALUES ({values})"
    )


def _fitted(session: SparkSession, table: Table, plan: TablePlan, frame: DataFrame) -> DataFrame:
    """The rows with the table's types where those are wider.

    Raises:
        WriteError: a column has a type that the table's own can't hold, or is new and may not be.
    """
    there, given = _columns(session, table), columns_of(frame.schema)
    gone = plan.operation.gone if isinstance(plan.operation, MergeRows) else None
    refuse_new(table.shown, plan, there, given.without([gone] if gone else []))
    wider = {}
    for column in given:
        own = there.find(column.name)
        # Members that a struct gets are for Delta to add.
        if own is None or (plan.evolve and is_nested(own.type) and is_nested(column.type)):
            continue
        refuse_misfit(table.shown, own, column)
        if type_name(own.type) != type_name(column.type):
            wider[column.name] = type_name(own.type)
    # Connect takes no empty change.
    casts = {name: frame[quoted(name)].cast(kind) for name, kind in wider.items()}
    return frame.withColumns(casts) if casts else frame


def _columns(session: SparkSession, table: Table) -> Columns:
    return columns_of(session.sql(f"SELECT * FROM {table.sql} LIMIT 0").schema)


def _add_columns(session: SparkSession, table: Table, frame: DataFrame) -> None:
    """A commit of its own, without the run's stamp: it must not pass for the write of the rows."""
    there = _columns(session, table)
    new = [field for field in frame.schema.fields if field.name not in there]
    if new:
        columns = ", ".join(f"{quoted(field.name)} {field.dataType.simpleString()}" for field in new)
        session.sql(f"ALTER TABLE {table.sql} ADD COLUMNS ({columns})")
