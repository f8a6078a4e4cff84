"""Iceberg tables through pyiceberg: read, append and overwrite."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from lakelogic.engines import iceberg_commits as commits
from lakelogic.engines.base import Committed, Stamp
from lakelogic.engines.commits import require_commit
from lakelogic.engines.duckdb.errors import source_error, write_error
from lakelogic.engines.duckdb.session import Frame, Session
from lakelogic.engines.duckdb.streams import Stream
from lakelogic.engines.iceberg_commits import Snapshot
from lakelogic.errors import EngineUnavailable, SourceError, WriteError
from lakelogic.formats.arrow_types import arrow_schema, columns_of
from lakelogic.formats.bytes import is_uri
from lakelogic.plan.ddl import Alteration, TableState
from lakelogic.plan.evolving import changes
from lakelogic.plan.locations import Location, warehouse_folder
from lakelogic.plan.model import TablePlan, UpkeepPlan
from lakelogic.sources.read import TableToRead
from lakelogic.sql.duckdb.types import duckdb_type, quoted, text
from lakelogic.sql.types import Column, Columns, parse_type, type_name
from lakelogic.write.operations import AppendRows

if TYPE_CHECKING:
    import pyarrow as pa
    from pyiceberg.table import Table

    from lakelogic.engines.duckdb.iceberg_catalog import FolderCatalog

_BATCH_ROWS = 100_000
# Iceberg has no smaller whole numbers.
_HELD_AS = {"tinyint": "int", "smallint": "int"}


class IcebergTables:
    """Iceberg tables by path, or by a name that is a folder of the warehouse."""

    def __init__(self, session: Session, warehouse: Path) -> None:
        if find_spec("pyiceberg") is None:
            raise EngineUnavailable(
                "Iceberg tables need pyiceberg on this engine.", cure="Install it: pip install 'lakelogic[iceberg]'"
            )
        self._session = session
        self._warehouse = warehouse

    def pin(self, wanted: TableToRead) -> tuple[TableToRead, Columns]:
        commits.refuse_changes(wanted)
        location = Location(wanted.location, wanted.is_name)
        with self._told(source_error(wanted.location)):
            table = self._open(location)
            newest = next(iter(self._snapshots(location)), None)
            version = wanted.version if wanted.version is not None else newest.id if newest else None
            return replace(wanted, version=version), columns_of(_schema(table))

    def read(self, wanted: TableToRead) -> Frame:
        with self._told(source_error(wanted.location)):
            table = self._open(Location(wanted.location, wanted.is_name))
            schema = _schema(table)
            return self._session.stream(Stream(schema, lambda: _batches(table, wanted.version, schema)))

    def write(self, table: TablePlan, frame: Frame, stamp: Stamp) -> Committed:
        """Iceberg skips no repeated write by itself: whether the run has committed is looked up under its claim."""
        location = Location(table.location, table.is_name)
        with self._told(write_error(table.location)):
            if self.find_commit(location, stamp.run_id) is None:
                self._apply(location, table, frame, stamp)
            return require_commit(self.find_commit(location, stamp.run_id), table.location, stamp.run_id)

    def exists(self, location: Location) -> bool:
        return commits.metadata_file(self._folder(location)) is not None

    def find_commit(self, location: Location, run_id: str) -> Committed | None:
        return commits.commit_of(self._snapshots(location), run_id, location.text)

    def last_sequence(self, location: Location, app_id: str) -> int:
        return commits.last_sequence(self._snapshots(location), app_id)

    def describe(self, table: TablePlan) -> TableState | None:
        with self._told(source_error(table.location)):
            found = self._catalog(Location(table.location, table.is_name)).open()
            if found is None:
                return None
            partitions = tuple(field.name for field in found.spec().fields)
            return TableState(columns_of(_schema(found)), partitions, properties=dict(found.properties))

    def alter(self, table: TablePlan, wanted: Alteration) -> None:
        location = Location(table.location, table.is_name)
        with self._told(write_error(table.location)):
            catalog = self._catalog(location)
            if wanted.creates:
                schema = _new_schema(arrow_schema(_held(wanted.added)))
                catalog.create(schema, table.partition_by, dict(wanted.properties)).commit_transaction()
                return
            found = self._evolved(location, self._open(location), wanted.added, wanted.widened)
            with found.transaction() as transaction:
                transaction.set_properties(dict(wanted.properties))

    def tidy(self, table: TablePlan, upkeep: UpkeepPlan) -> None:
        raise WriteError(f"{table.location} can't be compacted on this engine.", cure="Run with --engine spark.")

    def undo(self, location: Location, run_id: str) -> None:
        with self._told(write_error(location.text)):
            written, parent = commits.parent_of(self._snapshots(location), run_id, location.text)
            if written and parent is not None:
                self._open(location).manage_snapshots().rollback_to_snapshot(parent).commit()
            elif written:
                self._open(location).delete(snapshot_properties={commits.UNDONE: run_id})

    def delete(self, location: Location, column: str, value: str) -> None:
        with self._told(write_error(location.text)):
            self._open(location).delete(f"{column} = {text(value)}")

    def _folder(self, location: Location) -> Path:
        path = str(warehouse_folder(location, self._warehouse)) if location.is_name else location.text
        if is_uri(path):
            raise SourceError(f"{path} can't be opened without Spark.", cure="Run with --engine spark.")
        return Path(path)

    def _catalog(self, location: Location) -> FolderCatalog:
        from lakelogic.engines.duckdb.iceberg_catalog import FolderCatalog

        return FolderCatalog(self._folder(location))

    def _open(self, location: Location) -> Table:
        if (table := self._catalog(location).open()) is None:
            raise SourceError(f"no Iceberg table is at {location.text}.", cure="Check the path.")
        return table

    def _snapshots(self, location: Location) -> list[Snapshot]:
        return commits.snapshots_in(self._folder(location))

    def _apply(self, location: Location, plan: TablePlan, frame: Frame, stamp: Stamp) -> None:
        catalog, said = self._catalog(location), commits.told(stamp, "WRITE")
        table = catalog.open()
        if table is None:
            rows = self._reader(frame, _held(columns_of(self._arrow(frame))), plan)
            with catalog.create(_new_schema(rows.schema), plan.partition_by, dict(plan.properties)) as creation:
                creation.append(rows, snapshot_properties=said)
            return
        given = columns_of(self._arrow(frame))
        wanted = changes(plan, columns_of(_schema(table)), _held(given))
        if wanted:
            table = self._evolved(location, table, wanted.added, wanted.widened)
        rows = self._reader(frame, columns_of(_schema(table)), plan)
        if isinstance(plan.operation, AppendRows):
            table.append(rows, snapshot_properties=said)
        else:
            raise WriteError(f"this engine can't apply {type(plan.operation).__name__} to an Iceberg table.")

    def _evolved(self, location: Location, table: Table, added: Columns, widened: Columns) -> Table:
        """A commit of its own, without rows and without the run's stamp."""
        with table.update_schema() as update:
            update.union_by_name(arrow_schema(Columns((*added, *widened))))
        return self._open(location)

    def _arrow(self, frame: Frame) -> pa.Schema:
        return self._session.relation(frame).limit(0).to_arrow_table().schema

    def _reader(self, frame: Frame, columns: Columns, plan: TablePlan) -> pa.RecordBatchReader | pa.Table:
        """The rows with these columns; what they lack is NULL."""
        there = {name.lower(): name for name in self._session.columns(frame)}
        typed = (
            f"CAST({quoted(there[c.name.lower()]) if c.name.lower() in there else 'NULL'} AS {duckdb_type(c.type)})"
            f" AS {quoted(c.name)}"
            for c in columns
        )
        relation = self._session.relation(
            self._session.select(f"SELECT {', '.join(typed)} FROM source", {"source": frame})
        )
        # Streams can't be split by partition yet.
        return relation.to_arrow_table() if plan.partition_by else relation.to_arrow_reader(_BATCH_ROWS)

    @contextmanager
    def _told(self, make) -> Iterator[None]:  # type: ignore[no-untyped-def]
        from pyiceberg.exceptions import CommitFailedException, RESTError, ValidationError

        with self._session.told(make):
            try:
                yield
            except (CommitFailedException, RESTError, ValidationError, NotImplementedError) as error:
                raise make(error) from error


def _held(columns: Columns) -> Columns:
    return Columns(
        tuple(Column(c.name, parse_type(_HELD_AS.get(type_name(c.type), type_name(c.type)))) for c in columns)
    )


def _schema(table: Table) -> pa.Schema:
    """The table's columns in the types that the product has for them."""
    from pyiceberg.io.pyarrow import schema_to_pyarrow

    return arrow_schema(columns_of(schema_to_pyarrow(table.schema(), include_field_ids=False)))


def _new_schema(schema: pa.Schema):  # type: ignore[no-untyped-def]
    from pyiceberg.catalog import Catalog

    return Catalog._convert_schema_if_needed(schema)


def _batches(table: Table, version: int | None, schema: pa.Schema) -> Iterator[pa.RecordBatch]:
    yield from table.scan(snapshot_id=version).to_arrow_batch_reader().cast(schema)
