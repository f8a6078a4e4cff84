"""Delta tables by path or name: where they are, whether they exist, and what their log says."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lakelogic.catalogs.resolving import catalog_of
from lakelogic.engines.base import Committed
from lakelogic.engines.commits import commit_of, said
from lakelogic.engines.spark.reading import quoted_name
from lakelogic.errors import UsageError
from lakelogic.plan.locations import Location, warehouse_folder
from lakelogic.plan.model import TablePlan
from lakelogic.sources.delta import is_table
from lakelogic.sources.delta_paths import can_open
from lakelogic.sql.build import quoted

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_HISTORY = 50


@dataclass(frozen=True)
class Table:
    """A table as Spark addresses it. `folder` is where its log is, when that is on this machine."""

    shown: str
    sql: str
    path: str | None
    folder: Path | None

    @property
    def exists(self) -> bool:
        return self.folder is not None and is_table(self.folder)


class Tables:
    """Finds tables. A local session has no catalog that outlives it, so names become folders of the warehouse."""

    def __init__(self, session: SparkSession, warehouse: Path | None) -> None:
        self._session = session
        self._warehouse = warehouse

    def find(self, location: Location) -> Table:
        """The table of a path or name; a name that a local session forgot is registered again.

        Raises:
            UsageError: the name is of a catalog that a local session can't ask.
        """
        if not location.is_name:
            return Table(location.text, _by_path(location.text), location.text, _log_folder(location.text))
        if self._warehouse is None:
            return Table(location.text, quoted_name(location.text), None, self._folder_of(location.text))
        if (elsewhere := catalog_of(location.text, os.environ)) is not None:
            raise UsageError(
                f"{location.text} is a table of {elsewhere}, which a local Spark does not know.",
                cure="Use --engine duckdb or polars, a session of the platform, or LAKELOGIC_CATALOG=local.",
            )
        # By path also here: projects that share a session have a warehouse each.
        *catalog, schema, name = location.parts
        own = catalog in ([], ["spark_catalog"])
        folder = warehouse_folder(location, self._warehouse)
        if own:
            self._register(schema, name, folder)
        return Table(location.text, _by_path(str(folder)), str(folder), _log_folder(str(folder)))

    def make_room(self, location: Location) -> None:
        """Create the schema of a catalog name, if the catalog does not have it."""
        if location.is_name and self._warehouse is None:
            self._create_schema(location.parts[:-1])

    def exists(self, table: Table) -> bool:
        if table.folder is not None:
            return table.exists
        if table.path is None:
            return self.is_known(table)
        from pyspark.errors import AnalysisException

        try:
            return bool(self._session.read.format("delta").load(table.path).columns)
        except AnalysisException:
            return False

    def is_known(self, table: Table) -> bool:
        """Whether the catalog has it, in whichever format."""
        return bool(self._session.catalog.tableExists(table.sql))

    def find_commit(self, table: Table, run_id: str) -> Committed | None:
        """The commit of rows that carries this run's id."""
        return commit_of(self.history(table), run_id, table.shown)

    def last_sequence(self, table: Table, app_id: str) -> int:
        """The highest number that this writer has committed to the table."""
        if not self.exists(table):
            return 0
        if table.folder is not None:
            from deltalake import DeltaTable

            return DeltaTable(str(table.folder)).transaction_version(app_id) or 0
        told = [said(entry) for entry in self.history(table)]
        return max((int(run["sequence"]) for run in told if run.get("app_id") == app_id), default=0)

    def history(self, table: Table) -> Iterator[Mapping[str, Any]]:
        """What the log of a table says, newest first."""
        if not self.exists(table):
            return
        if table.folder is not None:
            from deltalake import DeltaTable

            yield from DeltaTable(str(table.folder)).history(_HISTORY)
            return
        for row in self._session.sql(f"DESCRIBE HISTORY {table.sql} LIMIT {_HISTORY}").collect():
            yield row.asDict(recursive=True)

    def _folder_of(self, name: str) -> Path | None:
        if not self._session.catalog.tableExists(name):
            return None
        detail = self._session.sql(f"DESCRIBE DETAIL {quoted_name(name)}").first()
        location = str(detail["location"]) if detail is not None else ""
        return _log_folder(location.removeprefix("file:")) if location.startswith("file:/") else None

    def _register(self, schema: str, name: str, folder: Path) -> None:
        table = f"{quoted(schema)}.{quoted(name)}"
        if is_table(folder) and not self._session.catalog.tableExists(table):
            self._create_schema((schema,))
            escaped = str(folder).replace("\\", "\\\\").replace("'", "\\'")
            self._session.sql(f"CREATE TABLE {table} USING delta LOCATION '{escaped}'")

    def _create_schema(self, parts: Sequence[str]) -> None:
        name = ".".join(quoted(part) for part in parts)
        if not self._session.catalog.databaseExists(name):
            self._session.sql(f"CREATE SCHEMA IF NOT EXISTS {name}")


def refuse_location(table: TablePlan, warehouse: Path | None) -> None:
    """
    Raises:
        UsageError: a place is given for a table, and no catalog is there to remember it.
    """
    if table.storage is not None and warehouse is not None:
        raise UsageError(
            f"{table.location} is a folder of the warehouse on a local Spark, and can't be at {table.storage}.",
            cure="Write the path as target_path, or run on a session that has a catalog.",
        )


def _log_folder(path: str) -> Path | None:
    """The folder of a table whose log can be read here without Spark; else Spark is asked."""
    return Path(path) if "://" not in path and can_open(path) else None


def _by_path(path: str) -> str:
    return f"delta.{quoted(path)}"
