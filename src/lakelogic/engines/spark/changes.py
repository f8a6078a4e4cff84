"""Reading what was committed to a Delta table since a version, with Spark."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from lakelogic.engines.spark import reading
from lakelogic.engines.spark.tables import Table
from lakelogic.sources.read import CHANGE_TYPE, COMMIT_VERSION, Changes, TableToRead
from lakelogic.sources.versions import NEW_ROWS, resolved

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, DataFrameReader, SparkSession


def found_in(table: Table, wanted: TableToRead) -> TableToRead:
    """The table with how its changes are read. Where its log is not on this machine, only the feed can tell them."""
    folder = table.folder
    if folder is None and wanted.changes is not None and wanted.changes.after is not None:
        return replace(wanted, changes=replace(wanted.changes, feed=True))
    from deltalake import DeltaTable

    return resolved(wanted, lambda version: DeltaTable(str(folder), version=version), table.shown)


def read(session: SparkSession, wanted: TableToRead, changes: Changes) -> DataFrame:
    """The rows that were inserted, updated and, where it is told what each is, deleted."""
    from pyspark.sql import functions as F

    whole = reading.read_table(session, wanted)
    if changes.after is None:
        if not changes.told:
            return whole
        version = F.lit(wanted.version).cast("bigint")
        return whole.withColumn(CHANGE_TYPE.name, F.lit("insert")).withColumn(COMMIT_VERSION.name, version)
    if not changes.feed:
        return _of_files(session, whole, wanted, changes)
    rows = _load(session.read.format("delta").options(**_range(wanted, changes)), wanted)
    kinds = ("delete", *NEW_ROWS) if changes.told else NEW_ROWS
    names = [*whole.columns, CHANGE_TYPE.name, COMMIT_VERSION.name] if changes.told else whole.columns
    return rows.where(F.col(CHANGE_TYPE.name).isin(*kinds)).select(*(reading.column(name) for name in names))


def _range(wanted: TableToRead, changes: Changes) -> dict[str, str]:
    options = {"readChangeFeed": "true", "startingVersion": str((changes.after or 0) + 1)}
    return {**options, "endingVersion": str(wanted.version)} if wanted.version is not None else options


def _load(reader: DataFrameReader, wanted: TableToRead) -> DataFrame:
    return reader.table(reading.quoted_name(wanted.location)) if wanted.is_name else reader.load(wanted.location)


def _of_files(session: SparkSession, whole: DataFrame, wanted: TableToRead, changes: Changes) -> DataFrame:
    """The added files alone, with the columns of the table; their folders tell its partition columns."""
    reader = session.read.schema(whole.schema).option("basePath", wanted.location)
    return reader.parquet(*changes.files).select(*(reading.column(name) for name in whole.columns))
