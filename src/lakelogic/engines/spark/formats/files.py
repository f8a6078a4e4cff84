"""Tables of parquet, csv or json files, written and read by Spark."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from lakelogic.engines.base import Committed, Stamp
from lakelogic.engines.commits import require_commit
from lakelogic.engines.plain_files import PlainFiles
from lakelogic.engines.spark.errors import source_error, write_error
from lakelogic.engines.spark.types import columns_of, spark_schema
from lakelogic.plan.as_files import RUN
from lakelogic.plan.locations import Location
from lakelogic.plan.model import TablePlan
from lakelogic.sources.read import TableToRead
from lakelogic.sql.types import STRING, Column, Columns, parse_type

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

_CSV = {
    "header": "true",
    "quote": '"',
    "escape": '"',
    "multiLine": "true",
    # Spark trims what it writes, unless it is told not to.
    "ignoreLeadingWhiteSpace": "false",
    "ignoreTrailingWhiteSpace": "false",
}


def file_tables(kind: str) -> Callable[[SparkSession, Path | None], FileTables]:
    """Makes what handles tables of one kind of file."""
    return lambda session, _: FileTables(session, kind)


class FileTables(PlainFiles):
    """Such tables, read and written by Spark."""

    def __init__(self, session: SparkSession, kind: str) -> None:
        super().__init__(kind)
        self._session = session

    def pin(self, wanted: TableToRead) -> tuple[TableToRead, Columns]:
        pinned = self._pinned(wanted)
        return pinned, columns_of(self.read(pinned).schema)

    def read(self, wanted: TableToRead) -> DataFrame:
        table = self._table(Location(wanted.location, wanted.is_name))
        # Text is stored as it was made, so that it is read as text.
        stored = [Column(name, STRING if self._kind != "parquet" else parse_type(t)) for name, t in table.columns()]
        with source_error(wanted.location):
            folders = table.folders(wanted.version)
            schema = spark_schema(Columns(tuple(stored)))
            if not folders:
                return self._session.createDataFrame([], schema)
            root, *parts = (_local(Path(path)) for path in (wanted.location, *folders))
            reader = self._session.read.schema(schema).option("basePath", root)
            options = _CSV if self._kind == "csv" else {}
            return reader.options(**options).format(self._kind).load(parts).drop(RUN)

    def write(self, table: TablePlan, frame: DataFrame, stamp: Stamp) -> Committed:
        found = self._table(Location(table.location, table.is_name))
        with write_error(table.location):
            found.write(table, stamp, lambda folder: self._save(frame, folder, table.partition_by))
        return require_commit(found.find_commit(stamp.run_id), table.location, stamp.run_id)

    def _save(self, frame: DataFrame, folder: Path, partition_by: tuple[str, ...]) -> int:
        """Write the files, and count the rows that they hold."""
        kind = "text" if self._kind == "json" else self._kind
        options = _CSV if self._kind == "csv" else {}
        writer = frame.write.format(kind).options(**options)
        writer = writer.partitionBy(*partition_by) if partition_by else writer
        # A plain path could mean another file system to a cluster, and the folder is renamed on this one.
        place = _local(folder)
        writer.save(place)
        counted = self._session.read.format(kind).options(**options).schema(frame.schema)
        rows = counted.load(place).count()
        if self._kind == "json":
            # Lines of json come as ready texts, and Spark calls a file of texts by that name.
            for file in folder.glob("*.txt"):
                file.rename(file.with_suffix(".json"))
        return rows


def _local(path: Path) -> str:
    """A path of this machine as Spark takes it: an address would be escaped, and `=` is part of the names."""
    return f"file://{path.absolute()}"
