"""`strategy: snapshot`: every batch is kept as the state of its day."""

from __future__ import annotations

from sqlglot import exp

from lakelogic.sql.build import named, quoted, ref
from lakelogic.sql.render import TODAY
from lakelogic.write.base import Lowered, Rows, Strategy, strategies
from lakelogic.write.operations import ReplaceSlices

DAY = "_snapshot_date"


@strategies.add("snapshot")
class Snapshot(Strategy):
    """Adds the batch under the run's day, in `_snapshot_date`; a second run on a day replaces that day."""

    def operation(self, rows: Rows) -> ReplaceSlices:
        return ReplaceSlices(where=f"{quoted(DAY)} = CAST('{TODAY}' AS DATE)")

    def lower(self, rows: Rows) -> Lowered:
        day = exp.cast(exp.Literal.string(TODAY), "date")
        stored = exp.select(*(ref(column) for column in rows.columns), named(DAY, day)).from_("source")
        return Lowered(self.operation(rows), stored)
