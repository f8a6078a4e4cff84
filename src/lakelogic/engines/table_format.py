"""What an engine must know of a table format: how its tables are pinned, read, written and searched for a run."""

from __future__ import annotations

from abc import ABC, abstractmethod
from pathlib import Path
from typing import Generic, Protocol, TypeVar

from lakelogic.engines.base import Committed, Stamp
from lakelogic.errors import SourceError, WriteError
from lakelogic.formats.bytes import is_uri
from lakelogic.plan.ddl import Alteration, TableState
from lakelogic.plan.locations import Location
from lakelogic.plan.model import TablePlan, UpkeepPlan
from lakelogic.sources.read import TableToRead
from lakelogic.sql.types import Columns

Frame = TypeVar("Frame")


class TableFormat(Protocol[Frame]):
    """Tables of one format, as one engine handles them. Errors of the libraries below become errors of ours here."""

    def pin(self, wanted: TableToRead) -> tuple[TableToRead, Columns]:
        """The table at its version, and its columns."""

    def read(self, wanted: TableToRead) -> Frame:
        """The rows of a table at its version."""

    def write(self, table: TablePlan, frame: Frame, stamp: Stamp) -> Committed:
        """Apply the plan's operation in one commit; a write that was committed before is left out."""

    def exists(self, location: Location) -> bool:
        """Whether there is such a table."""

    def find_commit(self, location: Location, run_id: str) -> Committed | None:
        """The commit of a run, if there is one."""

    def last_sequence(self, location: Location, app_id: str) -> int:
        """The highest sequence number that the table has recorded for a writer."""

    def describe(self, table: TablePlan) -> TableState | None:
        """The table as it is now; None where there is none."""

    def alter(self, table: TablePlan, wanted: Alteration) -> None:
        """Create the table, or change its columns and settings, without rows."""

    def tidy(self, table: TablePlan, upkeep: UpkeepPlan) -> None:
        """Join small files and remove those that are out of use."""

    def undo(self, location: Location, run_id: str) -> None:
        """Leave the table as it was before a run's commit, which must be its newest."""

    def delete(self, location: Location, column: str, value: str) -> None:
        """Take out the rows whose column has this value."""


class TablesByFormat(ABC, Generic[Frame]):
    """What an engine leaves to the format of a table."""

    @abstractmethod
    def _format(self, name: str) -> TableFormat[Frame]:
        """How tables of a format are handled."""

    def write(self, table: TablePlan, frame: Frame, stamp: Stamp) -> Committed:
        _refuse_file(table)
        return self._format(table.format).write(table, frame, stamp)

    def has(self, table: TablePlan) -> bool:
        return self._format(table.format).exists(_location(table))

    def find_commit(self, table: TablePlan, run_id: str) -> Committed | None:
        return self._format(table.format).find_commit(_location(table), run_id)

    def delete(self, table: TablePlan, column: str, value: str) -> None:
        self._format(table.format).delete(_location(table), column, value)

    def describe(self, table: TablePlan) -> TableState | None:
        return self._format(table.format).describe(table)

    def alter(self, table: TablePlan, wanted: Alteration) -> None:
        self._format(table.format).alter(table, wanted)

    def tidy(self, table: TablePlan) -> None:
        if table.upkeep is not None:
            self._format(table.format).tidy(table, table.upkeep)

    def undo(self, table: TablePlan, run_id: str) -> None:
        self._format(table.format).undo(_location(table), run_id)

    def last_sequence(self, table: TablePlan, app_id: str) -> int:
        return self._format(table.format).last_sequence(_location(table), app_id)


def no_table(location: str) -> SourceError:
    """What to say of a path where a table should be."""
    return SourceError(
        f"can't read {location}: no Delta table is there.",
        cure="Check the path; a table that a contract writes is there after its first run.",
    )


def _refuse_file(table: TablePlan) -> None:
    if not table.is_name and not is_uri(table.location) and Path(table.location).is_file():
        raise WriteError(
            f"can't write {table.location}: it is a file, and a table is a folder.",
            cure="Move the file away, or name another place; the next run goes on where this one stopped.",
        )


def _location(table: TablePlan) -> Location:
    return Location(table.location, table.is_name)
