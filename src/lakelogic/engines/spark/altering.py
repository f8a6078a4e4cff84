"""Describing, altering and tidying Delta tables with Spark, without rows."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from lakelogic.engines.spark.tables import Table
from lakelogic.engines.spark.types import columns_of
from lakelogic.plan.ddl import Alteration, TableState, statements
from lakelogic.plan.evolving import changes
from lakelogic.plan.model import TablePlan, UpkeepPlan
from lakelogic.sql.types import Columns

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_RETENTION_CHECK = "spark.databricks.delta.retentionDurationCheck.enabled"


def describe(session: SparkSession, table: Table) -> TableState:
    """A table as it is now."""
    detail = session.sql(f"DESCRIBE DETAIL {table.sql}").first()
    columns = columns_of(session.sql(f"SELECT * FROM {table.sql} LIMIT 0").schema)
    if detail is None:
        return TableState(columns)
    told = detail.asDict()
    clustered = tuple(told.get("clusteringColumns") or ())
    return TableState(columns, tuple(told["partitionColumns"]), clustered, dict(told["properties"]))


def widen(session: SparkSession, found: Table, plan: TablePlan, rows: Columns) -> None:
    """Give columns the wider types that the rows have. A commit of its own, without the run's stamp."""
    there = columns_of(session.sql(f"SELECT * FROM {found.sql} LIMIT 0").schema)
    wanted = changes(plan, there, rows)
    named = replace(plan, location=found.path, is_name=False) if found.path is not None else plan
    for statement in statements(named, Alteration(widened=wanted.widened)):
        session.sql(statement)


def tidy(session: SparkSession, table: Table, upkeep: UpkeepPlan) -> None:
    """Join small files, then remove what no version within the retention needs."""
    if upkeep.compact:
        session.sql(f"OPTIMIZE {table.sql}").collect()
    if upkeep.vacuum_hours is None:
        return
    # How long is the contract's to say, also where that is less than a week.
    session.conf.set(_RETENTION_CHECK, "false")
    try:
        session.sql(f"VACUUM {table.sql} RETAIN {upkeep.vacuum_hours} HOURS").collect()
    finally:
        session.conf.unset(_RETENTION_CHECK)
