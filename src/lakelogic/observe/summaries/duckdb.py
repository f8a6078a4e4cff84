"""Summaries in a DuckDB file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from lakelogic.observe.rows import Kind, Row
from lakelogic.observe.summaries.base import PATIENCE_SECONDS, SqlBackend, summary_backends


@summary_backends.add("duckdb")
@dataclass(frozen=True)
class DuckdbSummaries(SqlBackend):
    """A file; one process at a time may open it, so that others wait for a while."""

    types: ClassVar[Mapping[Kind, str]] = {
        "text": "VARCHAR",
        "integer": "BIGINT",
        "real": "DOUBLE",
        "moment": "TIMESTAMP WITH TIME ZONE",
    }

    def write(self, rows: Sequence[Row]) -> None:
        from lakelogic.engines.duckdb.database import DatabaseError, opened

        try:
            Path(self.database).parent.mkdir(parents=True, exist_ok=True)
            with opened(self.database, patience_seconds=PATIENCE_SECONDS) as connection:
                connection.begin()
                for statement in self.creation:
                    connection.execute(statement)
                connection.executemany(self.insertion, self.values(rows))
                connection.commit()
        except (DatabaseError, OSError) as error:
            raise self.refused(error) from None
