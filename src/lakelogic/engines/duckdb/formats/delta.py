"""Delta tables through delta-rs."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from lakelogic.catalogs.base import Access
from lakelogic.engines.base import Committed, Stamp
from lakelogic.engines.commits import committed_ns, require_commit, undoing, version_before
from lakelogic.engines.duckdb import altering, changes, writing
from lakelogic.engines.duckdb.errors import source_error, write_error
from lakelogic.engines.duckdb.session import Frame, Session
from lakelogic.engines.duckdb.tables import Table, find_table, read_table, table_columns, unknown_table
from lakelogic.engines.table_format import no_table
from lakelogic.errors import WriteError
from lakelogic.plan.ddl import Alteration, TableState
from lakelogic.plan.locations import Location
from lakelogic.plan.model import TablePlan, UpkeepPlan
from lakelogic.sources.delta import delta_state
from lakelogic.sources.read import TableToRead
from lakelogic.sources.versions import resolved, with_changes
from lakelogic.sql.duckdb.types import quoted, text
from lakelogic.sql.types import Columns


class DeltaTables:
    """Delta tables by path, or by a name that a catalog or the warehouse knows."""

    def __init__(self, session: Session, warehouse: Path) -> None:
        self._session = session
        self._warehouse = warehouse
        self._found: dict[tuple[Location, Access], Table] = {}

    def pin(self, wanted: TableToRead) -> tuple[TableToRead, Columns]:
        table = self._find(Location(wanted.location, wanted.is_name))
        with self._session.told(source_error(table)):
            if not table.exists:
                raise unknown_table(wanted.location) if wanted.is_name else no_table(wanted.location)
            opened = table.open(wanted.version)
            when, table_id = committed_ns(opened.history(1)), str(opened.metadata().id)
            pinned = replace(wanted, version=opened.version(), rows=opened.count(), id=table_id, committed_ns=when)
            return resolved(pinned, table.open, table.shown), with_changes(pinned, table_columns(opened))

    def read(self, wanted: TableToRead) -> Frame:
        table = self._find(Location(wanted.location, wanted.is_name))
        with self._session.told(source_error(table)):
            if wanted.changes is not None:
                return changes.read(self._session, table, wanted, wanted.changes)
            return read_table(self._session, table.open(wanted.version))

    def write(self, table: TablePlan, frame: Frame, stamp: Stamp) -> Committed:
        found = self._find(Location(table.location, table.is_name), "write")
        with self._session.told(write_error(found)):
            writing.write(self._session, found, table, frame, stamp)
            return require_commit(found.find_commit(stamp.run_id), found.shown, stamp.run_id)

    def exists(self, location: Location) -> bool:
        found = self._find(location)
        with self._session.told(source_error(found)):
            return found.exists

    def find_commit(self, location: Location, run_id: str) -> Committed | None:
        found = self._find(location)
        with self._session.told(source_error(found)):
            return found.find_commit(run_id)

    def last_sequence(self, location: Location, app_id: str) -> int:
        found = self._find(location)
        with self._session.told(source_error(found)):
            return found.last_sequence(app_id)

    def describe(self, table: TablePlan) -> TableState | None:
        found = self._find(Location(table.location, table.is_name))
        with self._session.told(source_error(found)):
            return delta_state(found.open()) if found.exists else None

    def alter(self, table: TablePlan, wanted: Alteration) -> None:
        found = self._find(Location(table.location, table.is_name), "write")
        if wanted.widened.items:
            raise WriteError(
                f"the type of {', '.join(wanted.widened.names)} in {found.shown} can't be widened on this engine.",
                cure="Run once with --engine spark.",
            )
        with self._session.told(write_error(found)):
            altering.alter(found, table, wanted)

    def tidy(self, table: TablePlan, upkeep: UpkeepPlan) -> None:
        found = self._find(Location(table.location, table.is_name), "write")
        with self._session.told(write_error(found)):
            altering.tidy(found, upkeep)

    def undo(self, location: Location, run_id: str) -> None:
        found = self._find(location, "write")
        with self._session.told(write_error(found)):
            before = version_before(found.history(), run_id, found.shown)
            if before is not None:
                altering.undo(found, before, undoing(run_id))

    def delete(self, location: Location, column: str, value: str) -> None:
        found = self._find(location, "write")
        with self._session.told(write_error(found)):
            found.open().delete(f"{quoted(column)} = {text(value)}")

    def _find(self, location: Location, access: Access = "read") -> Table:
        """The table of a location, looked up once: a catalog may have to be asked."""
        wanted = location, access
        if wanted not in self._found:
            self._found[wanted] = find_table(location, self._warehouse, access)
        return self._found[wanted]
