"""Summaries in a Delta table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from lakelogic.observe.rows import COLUMNS, Row
from lakelogic.observe.summaries.base import SummaryBackend, summary_backends
from lakelogic.state.appending import append_rows
from lakelogic.state.runlog import as_table


@summary_backends.add("delta")
@dataclass(frozen=True)
class DeltaSummaries(SummaryBackend):
    """A table in `<database>/<schema>/<table>`, where the database is a folder."""

    @property
    def path(self) -> Path:
        return Path(self.database, *([self.table.schema] if self.table.schema else []), self.table.name)

    def write(self, rows: Sequence[Row]) -> None:
        import pyarrow as pa
        from deltalake.exceptions import DeltaError

        types = {
            "text": pa.string(),
            "integer": pa.int64(),
            "real": pa.float64(),
            "moment": pa.timestamp("us", tz="UTC"),
        }
        table = as_table(rows, pa.schema([(column.name, types[column.kind]) for column in COLUMNS]))
        try:
            append_rows(self.path, table)
        except (DeltaError, OSError, pa.ArrowException) as error:
            raise self.refused(error) from None
