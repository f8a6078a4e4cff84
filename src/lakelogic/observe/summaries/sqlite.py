"""Summaries in a SQLite file."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import ClassVar

from lakelogic.observe.rows import Kind, Row
from lakelogic.observe.summaries.base import PATIENCE_SECONDS, SqlBackend, iso, summary_backends


@summary_backends.add("sqlite")
@dataclass(frozen=True)
class SqliteSummaries(SqlBackend):
    """A file; it knows no schemas, so that `schema.table` is the table `schema_table`, and a moment is ISO text."""

    types: ClassVar[Mapping[Kind, str]] = {"text": "TEXT", "integer": "INTEGER", "real": "REAL", "moment": "TEXT"}

    @property
    def address(self) -> str:
        return "_".join(word for word in (self.table.schema, self.table.name) if word)

    @property
    def creation(self) -> tuple[str, ...]:
        return super().creation[-1:]

    def write(self, rows: Sequence[Row]) -> None:
        try:
            Path(self.database).parent.mkdir(parents=True, exist_ok=True)
            with closing(sqlite3.connect(self.database, timeout=PATIENCE_SECONDS)) as connection, connection:
                for statement in self.creation:
                    connection.execute(statement)
                connection.executemany(self.insertion, self.values(rows))
        except (sqlite3.Error, OSError) as error:
            raise self.refused(error) from None

    def stored(self, value: object) -> object:
        return iso(value) if isinstance(value, datetime) else value
