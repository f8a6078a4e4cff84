"""What a summary table is: a place in a database that takes the rows of a pipeline run, all or none."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import ClassVar

from lakelogic.errors import LakeLogicError, UsageError, first_line
from lakelogic.observe.rows import COLUMNS, Kind, Row
from lakelogic.registry import Registry

summary_backends: Registry[type[SummaryBackend]] = Registry("--summary-backend", "lakelogic.observe.summaries")

# How long a database is waited for that somebody else is writing to.
PATIENCE_SECONDS = 5.0
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


class NotRecorded(LakeLogicError):
    """What a run came to could not be told where that was asked for; the run itself is as it is."""

    code = "not-recorded"


@dataclass(frozen=True)
class TableName:
    """A table, and the schema that it is in."""

    schema: str | None
    name: str

    @classmethod
    def parse(cls, text: str) -> TableName:
        """
        Raises:
            UsageError: it is not `table` or `schema.table`.
        """
        words = text.split(".")
        if len(words) > 2 or not all(_NAME.fullmatch(word) for word in words):
            raise UsageError(
                f"--summary-table {text} is not a name of letters, digits and _.",
                cure="Write it as schema.table, such as lakelogic.pipeline_runs.",
            )
        return cls(words[0] if len(words) == 2 else None, words[-1])


@dataclass(frozen=True)
class SummaryBackend(ABC):
    """A database by its file, folder or address, and the table in it."""

    database: str
    table: TableName

    @abstractmethod
    def write(self, rows: Sequence[Row]) -> None:
        """Add rows, all or none; schema and table are created where they are missing.

        Raises:
            NotRecorded: the database can't be opened or written, or its table has other columns.
        """

    def refused(self, error: BaseException | str) -> NotRecorded:
        """The error that tells why the rows are not there."""
        said = first_line(error).rstrip(".")
        return NotRecorded(
            f"the summary was not written to {self.database}: {said}.",
            cure="Mend or free it, or name another with --summary-database.",
        )


@dataclass(frozen=True)
class SqlBackend(SummaryBackend):
    """A database that is written by SQL: what its types and its placeholder are called."""

    types: ClassVar[Mapping[Kind, str]]
    placeholder: ClassVar[str] = "?"

    @property
    def address(self) -> str:
        """The table as SQL names it."""
        schema = f'"{self.table.schema}".' if self.table.schema else ""
        return f'{schema}"{self.table.name}"'

    @property
    def creation(self) -> tuple[str, ...]:
        """What creates schema and table, unless they are there."""
        columns = ", ".join(f'"{column.name}" {self.types[column.kind]}' for column in COLUMNS)
        schema = (f'CREATE SCHEMA IF NOT EXISTS "{self.table.schema}"',) if self.table.schema else ()
        return (*schema, f"CREATE TABLE IF NOT EXISTS {self.address} ({columns})")

    @property
    def insertion(self) -> str:
        """What adds a row."""
        names = ", ".join(f'"{column.name}"' for column in COLUMNS)
        return f"INSERT INTO {self.address} ({names}) VALUES ({', '.join([self.placeholder] * len(COLUMNS))})"

    def values(self, rows: Sequence[Row]) -> list[tuple[object, ...]]:
        """The rows in the order of the columns."""
        return [tuple(self.stored(row[column.name]) for column in COLUMNS) for row in rows]

    def stored(self, value: object) -> object:
        """A value as the database takes it."""
        return value


def iso(value: datetime) -> str:
    """A moment as text that sorts by time."""
    return value.isoformat(timespec="microseconds")
