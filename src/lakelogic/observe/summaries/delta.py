"""Summaries in a Delta table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from lakelogic.observe.rows import COLUMNS, Row
from lakelogic.observe.summaries.base import SummaryBackend, summary_backends
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
        from deltalake import write_deltalake
        from deltalake.exceptions import CommitFailedError, DeltaError
        from tenacity import Retrying, retry_if_exception_type, stop_after_attempt, wait_random

        types = {
            "text": pa.string(),
            "integer": pa.int64(),
            "real": pa.float64(),
            "moment": pa.timestamp("us", tz="UTC"),
        }
        table = as_table(rows, pa.schema([(column.name, types[column.kind]) for column in COLUMNS]))
        # Pipelines that end at once may all create the table; one wins, and the others append.
        again = Retrying(
            retry=retry_if_exception_type(CommitFailedError),
            stop=stop_after_attempt(6),
            wait=wait_random(0, 0.3),
            reraise=True,
        )
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            again(write_deltalake, str(self.path), table, mode="append")
        except (DeltaError, OSError, pa.ArrowException) as error:
            raise self.refused(error) from None
