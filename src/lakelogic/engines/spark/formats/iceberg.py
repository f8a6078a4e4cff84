"""Iceberg tables with Spark: a path is a table of a Hadoop catalog rooted in its folder, a name one of the session's."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

from lakelogic.engines import iceberg_commits as commits
from lakelogic.engines.base import Committed, Stamp
from lakelogic.engines.commits import require_commit
from lakelogic.engines.iceberg_commits import Snapshot
from lakelogic.engines.spark.errors import source_error, write_error
from lakelogic.engines.spark.iceberg_session import require_iceberg
from lakelogic.engines.spark.reading import quoted_name
from lakelogic.engines.spark.tables import refuse_location
from lakelogic.engines.spark.types import columns_of
from lakelogic.engines.spark.writing import merge_statement, replaced, staying
from lakelogic.errors import WriteError
from lakelogic.plan.ddl import Alteration, TableState, statements
from lakelogic.plan.evolving import changes
from lakelogic.plan.locations import Location, hadoop_catalog, warehouse_folder
from lakelogic.plan.model import TablePlan, UpkeepPlan
from lakelogic.sources.read import TableToRead
from lakelogic.sql.build import quoted
from lakelogic.sql.types import Columns, type_name
from lakelogic.write.operations import AppendRows, MergeRows, Operation, ReplaceRows, ReplaceSlices

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

_PROPERTY = "spark.sql.iceberg.snapshot-property."
_BATCH = "_ll_iceberg_batch"


@dataclass(frozen=True)
class IcebergTable:
    """A table as Spark addresses it. `folder` is where its metadata is, when that is on this machine."""

    shown: str
    sql: str
    catalog: str
    name: str
    folder: Path | None


class IcebergTables:
    """Iceberg tables by path or name."""

    def __init__(self, session: SparkSession, warehouse: Path | None) -> None:
        require_iceberg(session)
        self._session = session
        self._warehouse = warehouse

    def pin(self, wanted: TableToRead) -> tuple[TableToRead, Columns]:
        commits.refuse_changes(wanted)
        with source_error(wanted.location):
            newest = next(iter(self._snapshots(self._find(Location(wanted.location, wanted.is_name)))), None)
            version = wanted.version if wanted.version is not None else newest.id if newest else None
            pinned = replace(wanted, version=version)
            return pinned, columns_of(self.read(pinned).schema)

    def read(self, wanted: TableToRead) -> DataFrame:
        table = self._find(Location(wanted.location, wanted.is_name))
        version = f" VERSION AS OF {wanted.version}" if wanted.version is not None else ""
        with source_error(wanted.location):
            return self._session.sql(f"SELECT * FROM {table.sql}{version}")

    def write(self, table: TablePlan, frame: DataFrame, stamp: Stamp) -> Committed:
        """Iceberg skips no repeated write by itself: whether the run has committed is looked up under its claim."""
        refuse_location(table, self._warehouse)
        location = Location(table.location, table.is_name)
        found = self._find(location)
        with write_error(found.shown):
            if self.find_commit(location, stamp.run_id) is None:
                self._apply(found, table, frame, stamp)
        return require_commit(self.find_commit(location, stamp.run_id), found.shown, stamp.run_id)

    def exists(self, location: Location) -> bool:
        return self._is_there(self._find(location))

    def find_commit(self, location: Location, run_id: str) -> Committed | None:
        table = self._find(location)
        return commits.commit_of(self._snapshots(table), run_id, table.shown)

    def last_sequence(self, location: Location, app_id: str) -> int:
        return commits.last_sequence(self._snapshots(self._find(location)), app_id)

    def describe(self, table: TablePlan) -> TableState | None:
        found = self._find(Location(table.location, table.is_name))
        with source_error(found.shown):
            if not self._is_there(found):
                return None
            rows = self._session.sql(f"SHOW TBLPROPERTIES {found.sql}").collect()
            properties = {row["key"]: row["value"] for row in rows}
            return TableState(columns_of(self._session.table(found.sql).schema), properties=properties)

    def alter(self, table: TablePlan, wanted: Alteration) -> None:
        found = self._find(Location(table.location, table.is_name))
        with write_error(found.shown):
            # A name that is a folder of the warehouse is known by its path.
            path = replace(table, location=str(found.folder), is_name=False) if found.folder else table
            for statement in statements(path, wanted):
                self._session.sql(statement)

    def tidy(self, table: TablePlan, upkeep: UpkeepPlan) -> None:
        found = self._find(Location(table.location, table.is_name))
        with write_error(found.shown):
            if upkeep.compact:
                self._session.sql(f"CALL {found.catalog}.system.rewrite_data_files(table => '{found.name}')").collect()
            if upkeep.vacuum_hours is not None:
                oldest = datetime.now(UTC) - timedelta(hours=upkeep.vacuum_hours)
                when = f"table => '{found.name}', older_than => TIMESTAMP '{oldest:%Y-%m-%d %H:%M:%S}'"
                self._session.sql(f"CALL {found.catalog}.system.expire_snapshots({when})").collect()

    def undo(self, location: Location, run_id: str) -> None:
        table = self._find(location)
        with write_error(table.shown):
            written, parent = commits.parent_of(self._snapshots(table), run_id, table.shown)
            if written and parent is not None:
                where = f"table => '{table.name}', snapshot_id => {parent}"
                self._session.sql(f"CALL {table.catalog}.system.rollback_to_snapshot({where})").collect()
            elif written:
                with self._saying({commits.UNDONE: run_id}):
                    self._session.sql(f"DELETE FROM {table.sql}").collect()

    def delete(self, location: Location, column: str, value: str) -> None:
        table = self._find(location)
        with write_error(table.shown):
            self._session.sql(f"DELETE FROM {table.sql} WHERE `{column}` = '{value}'").collect()

    def _find(self, location: Location) -> IcebergTable:
        path = location.text
        if location.is_name and self._warehouse is not None:
            path = str(warehouse_folder(location, self._warehouse))
        elif location.is_name:
            parts = location.parts
            current = self._session.catalog.currentCatalog()
            catalog = parts[0] if len(parts) > 2 else current
            name = ".".join(parts[1:] if len(parts) > 2 else parts)
            return IcebergTable(location.text, quoted_name(location.text), quoted(catalog), name, None)
        catalog, root, name = hadoop_catalog(path)
        self._add_catalog(catalog, root)
        folder = None if "://" in path else Path(path)
        return IcebergTable(location.text, f"{quoted(catalog)}.{quoted(name)}", quoted(catalog), name, folder)

    def _add_catalog(self, name: str, root: str) -> None:
        prefix = f"spark.sql.catalog.{name}"
        if self._session.conf.get(prefix, None) is None:
            settings = {
                "": "org.apache.iceberg.spark.SparkCatalog",
                ".type": "hadoop",
                ".warehouse": root,
                # Another process may have written since a table was looked at.
                ".cache-enabled": "false",
            }
            for key, value in settings.items():
                self._session.conf.set(f"{prefix}{key}", value)

    def _is_there(self, table: IcebergTable) -> bool:
        if table.folder is not None:
            return commits.metadata_file(table.folder) is not None
        return bool(self._session.catalog.tableExists(table.sql))

    def _snapshots(self, table: IcebergTable) -> list[Snapshot]:
        if table.folder is not None:
            return commits.snapshots_in(table.folder)
        if not self._is_there(table):
            return []
        rows = self._session.sql(f"SELECT snapshot_id, parent_id, summary FROM {table.sql}.snapshots").collect()
        found = [Snapshot(row["snapshot_id"], row["parent_id"], row["summary"]) for row in rows]
        current = self._session.sql(f"SELECT snapshot_id FROM {table.sql}.refs WHERE name = 'main'").first()
        return commits.lineage(found, current["snapshot_id"] if current else None)

    def _apply(self, found: IcebergTable, plan: TablePlan, frame: DataFrame, stamp: Stamp) -> None:
        """The first rows of a table are appended, whatever the operation."""
        from pyspark.sql import functions as F

        if not self._is_there(found):
            with self._stamped(stamp, plan.operation):
                self._create(found, plan, staying(plan, frame))
            return
        gone = plan.operation.gone if isinstance(plan.operation, MergeRows) else None
        self._evolve(found, plan, frame.drop(gone) if gone else frame)
        rows = self._aligned(found, frame, gone)
        match plan.operation:
            case MergeRows() as merge:
                # Spark can't plan a kept frame anew that was read from the table which the merge changes.
                apart = rows.localCheckpoint() if plan.changes is not None else rows
                self._merge(found, merge, apart, stamp)
            case ReplaceSlices() as slices:
                condition = F.expr(replaced(slices, frame))
                with self._stamped(stamp, slices):
                    rows.writeTo(found.sql).overwrite(condition)
            case ReplaceRows() as replacement:
                with self._stamped(stamp, replacement):
                    rows.writeTo(found.sql).overwrite(F.lit(True))
            case AppendRows() as append:
                with self._stamped(stamp, append):
                    rows.writeTo(found.sql).append()
            case other:
                raise WriteError(f"Spark can't apply {type(other).__name__} to an Iceberg table.")

    def _merge(self, found: IcebergTable, merge: MergeRows, rows: DataFrame, stamp: Stamp) -> None:
        rows.createOrReplaceTempView(_BATCH)
        columns = [name for name in rows.columns if name != merge.gone]
        with self._stamped(stamp, merge):
            self._session.sql(merge_statement(found.sql, _BATCH, merge, columns)).collect()
            if commits.commit_of(self._snapshots(found), stamp.run_id, found.shown) is None:
                # A merge that changes nothing leaves no snapshot; the run must be found all the same.
                self._session.table(found.sql).limit(0).writeTo(found.sql).append()

    def _create(self, found: IcebergTable, plan: TablePlan, frame: DataFrame) -> None:
        """The table and its first rows in one commit."""
        from pyspark.sql import functions as F

        writer = frame.writeTo(found.sql).using("iceberg")
        for key, value in plan.properties:
            writer = writer.tableProperty(key, value)
        if plan.storage:
            writer = writer.tableProperty("location", plan.storage)
        if plan.partition_by:
            writer = writer.partitionedBy(*(F.col(quoted(name)) for name in plan.partition_by))
        writer.create()

    def _evolve(self, found: IcebergTable, plan: TablePlan, frame: DataFrame) -> None:
        """A commit of its own, without rows and without the run's stamp."""
        wanted = changes(plan, columns_of(self._session.table(found.sql).schema), columns_of(frame.schema))
        if wanted.added.items:
            listed = ", ".join(f"{quoted(column.name)} {type_name(column.type)}" for column in wanted.added)
            self._session.sql(f"ALTER TABLE {found.sql} ADD COLUMNS ({listed})")
        for column in wanted.widened:
            self._session.sql(
                f"ALTER TABLE {found.sql} ALTER COLUMN {quoted(column.name)} TYPE {type_name(column.type)}"
            )

    def _aligned(self, found: IcebergTable, frame: DataFrame, besides: str | None) -> DataFrame:
        """The rows with the table's columns; what they lack is NULL."""
        from pyspark.sql import functions as F

        there = {name.lower() for name in frame.columns}
        columns = [
            F.col(quoted(field.name))
            if field.name.lower() in there
            else F.lit(None).cast(field.dataType).alias(field.name)
            for field in self._session.table(found.sql).schema.fields
        ]
        return frame.select(*columns, *([quoted(besides)] if besides else []))

    def _stamped(self, stamp: Stamp, operation: Operation) -> AbstractContextManager[None]:
        """Every snapshot made inside says which run made it."""
        return self._saying(commits.told(stamp, "MERGE" if isinstance(operation, MergeRows) else "WRITE"))

    @contextmanager
    def _saying(self, properties: Mapping[str, str]) -> Iterator[None]:
        said = {f"{_PROPERTY}{key}": value for key, value in properties.items()}
        for key, value in said.items():
            self._session.conf.set(key, value)
        try:
            yield
        finally:
            for key in said:
                self._session.conf.unset(key)
