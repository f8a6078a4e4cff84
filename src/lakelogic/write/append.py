"""`strategy: append`: rows are added; a batch that was committed before is not added again."""

from __future__ import annotations

from lakelogic.write.base import Rows, Strategy, strategies
from lakelogic.write.operations import AppendRows


@strategies.add("append")
class Append(Strategy):
    """Adds the batch to the table."""

    def operation(self, rows: Rows) -> AppendRows:
        return AppendRows()
