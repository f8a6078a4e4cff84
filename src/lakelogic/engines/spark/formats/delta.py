"""Delta tables with Spark."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from lakelogic.engines.base import Committed, Stamp
from lakelogic.engines.commits import committed_ns, require_commit, undoing, version_before
from lakelogic.engines.spark import altering, changes, reading, writing
from lakelogic.engines.spark.errors import source_error, write_error
from lakelogic.engines.spark.tables import Table, Tables, refuse_location
from lakelogic.engines.spark.types import columns_of
from lakelogic.engines.spark.writing import staying
from lakelogic.engines.table_format import no_table
from lakelogic.errors import SourceError
from lakelogic.plan.ddl import Alteration, TableState, statements
from lakelogic.plan.locations import Location
from lakelogic.plan.model import TablePlan, UpkeepPlan
from lakelogic.sources.read import TableToRead
from lakelogic.sources.versions import with_changes
from lakelogic.sql.types import Columns

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession


class DeltaTables:
    """Delta tables by path or name; a table of a catalog may be of any format that Spark reads."""

    def __init__(self, session: SparkSession, warehouse: Path | None) -> None:
        self._session = session
        self._warehouse = warehouse
        self._tables = Tables(session, warehouse)

    def pin(self, wanted: TableToRead) -> tuple[TableToRead, Columns]:
        table = self._tables.find(Location(wanted.location, wanted.is_name))
        plain = replace(wanted, location=table.path or wanted.location, is_name=table.path is None)
        with source_error(wanted.location):
            if not (self._tables.exists(table) or (table.path is None and self._tables.is_known(table))):
                raise self._unknown(wanted.location) if wanted.is_name else no_table(wanted.location)
            if table.exists and table.folder is not None:
                from deltalake import DeltaTable

                opened = DeltaTable(str(table.folder), version=wanted.version)
                when = committed_ns(opened.history(1))
                plain = replace(plain, version=opened.version(), id=str(opened.metadata().id), committed_ns=when)
            columns = columns_of(reading.read_table(self._session, plain).schema)
            found = changes.found_in(table, plain)
            return found, with_changes(found, columns)

    def read(self, wanted: TableToRead) -> DataFrame:
        table = self._tables.find(Location(wanted.location, wanted.is_name))
        plain = replace(wanted, location=table.path or wanted.location, is_name=table.path is None)
        with source_error(wanted.location):
            if plain.changes is not None:
                return changes.read(self._session, plain, plain.changes)
            return reading.read_table(self._session, plain)

    def _unknown(self, name: str) -> SourceError:
        where = "the catalog of Spark" if self._warehouse is None else "the project's warehouse"
        return SourceError(f"can't read {name}: {name} is not in {where}.", cure="Check the name.")

    def write(self, table: TablePlan, frame: DataFrame, stamp: Stamp) -> Committed:
        refuse_location(table, self._warehouse)
        location = Location(table.location, table.is_name)
        with write_error(table.location):
            self._tables.make_room(location)
            found = self._tables.find(location)
            there = self._tables.exists(found)
            if there and table.widens:
                altering.widen(self._session, found, table, columns_of(frame.schema))
            if table.cluster_by and not there:
                # Clustering is part of a definition: the table is there, without rows, before they come.
                rows = columns_of(staying(table, frame).schema)
                self.alter(table, Alteration(True, rows, properties=table.properties))
                found, there = self._tables.find(location), True
            writing.write(self._session, found, table, frame, stamp, there=there)
        return require_commit(self.find_commit(location, stamp.run_id), found.shown, stamp.run_id)

    def exists(self, location: Location) -> bool:
        return self._tables.exists(self._tables.find(location))

    def find_commit(self, location: Location, run_id: str) -> Committed | None:
        return self._tables.find_commit(self._tables.find(location), run_id)

    def last_sequence(self, location: Location, app_id: str) -> int:
        return self._tables.last_sequence(self._tables.find(location), app_id)

    def describe(self, table: TablePlan) -> TableState | None:
        found = self._tables.find(Location(table.location, table.is_name))
        with source_error(found.shown):
            return altering.describe(self._session, found) if self._tables.exists(found) else None

    def alter(self, table: TablePlan, wanted: Alteration) -> None:
        location = Location(table.location, table.is_name)
        with write_error(table.location):
            self._tables.make_room(location)
            found = self._tables.find(location)
            for statement in statements(_addressed(table, found), wanted):
                self._session.sql(statement)

    def tidy(self, table: TablePlan, upkeep: UpkeepPlan) -> None:
        found = self._tables.find(Location(table.location, table.is_name))
        with write_error(found.shown):
            altering.tidy(self._session, found, upkeep)

    def undo(self, location: Location, run_id: str) -> None:
        found = self._tables.find(location)
        with write_error(found.shown):
            before = version_before(self._tables.history(found), run_id, found.shown)
            if before is None:
                return
            undone = (
                f"RESTORE TABLE {found.sql} TO VERSION AS OF {before}" if before >= 0 else f"DELETE FROM {found.sql}"
            )
            with writing.saying(self._session, undoing(run_id)):
                self._session.sql(undone).collect()

    def delete(self, location: Location, column: str, value: str) -> None:
        found = self._tables.find(location)
        with write_error(found.shown):
            self._session.sql(f"DELETE FROM {found.sql} WHERE `{column}` = '{value}'").collect()


def _addressed(table: TablePlan, found: Table) -> TablePlan:
    """The plan with the table's path, where a name is a folder of the warehouse."""
    return table if found.path is None else replace(table, location=found.path, is_name=False)
