"""What every engine does alike with tables of parquet, csv or json files."""

from __future__ import annotations

from dataclasses import replace

from lakelogic.engines.base import Committed
from lakelogic.engines.file_tables import FileTable
from lakelogic.errors import WriteError
from lakelogic.plan.ddl import Alteration, TableState
from lakelogic.plan.locations import Location
from lakelogic.plan.model import TablePlan, UpkeepPlan
from lakelogic.sources.read import TableToRead
from lakelogic.sql.types import Column, Columns, parse_type


class PlainFiles:
    """Folders of files of one kind; a run is a folder of its own. An engine adds how rows are read and written."""

    def __init__(self, kind: str) -> None:
        self._kind = kind

    def _pinned(self, wanted: TableToRead) -> TableToRead:
        """The table at the version that was asked for, or at its newest."""
        commits = self._table(Location(wanted.location, wanted.is_name)).commits()
        last = max((each.sequence for each in commits), default=None)
        return replace(wanted, version=wanted.version if wanted.version is not None else last)

    def exists(self, location: Location) -> bool:
        return bool(self._table(location).commits())

    def find_commit(self, location: Location, run_id: str) -> Committed | None:
        return self._table(location).find_commit(run_id)

    def last_sequence(self, location: Location, app_id: str) -> int:
        return self._table(location).last_sequence(app_id)

    def describe(self, table: TablePlan) -> TableState | None:
        columns = self._table(Location(table.location, table.is_name)).columns()
        typed = Columns(tuple(Column(name, parse_type(kind)) for name, kind in columns))
        return TableState(typed) if columns else None

    def alter(self, table: TablePlan, wanted: Alteration) -> None:
        raise WriteError(f"{table.location} is plain {self._kind} files: there is no table to create or alter.")

    def tidy(self, table: TablePlan, upkeep: UpkeepPlan) -> None:
        raise WriteError(f"{table.location} is plain {self._kind} files, which are left as they are.")

    def undo(self, location: Location, run_id: str) -> None:
        self._table(location).undo(run_id)

    def delete(self, location: Location, column: str, value: str) -> None:
        raise WriteError(f"single rows can't be taken out of {location.text}: it is plain {self._kind} files.")

    def _table(self, location: Location) -> FileTable:
        return FileTable.of(location.text, location.is_name, self._kind)
