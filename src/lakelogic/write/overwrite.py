"""`strategy: overwrite`: the table holds the batch and nothing else."""

from __future__ import annotations

from lakelogic.write.base import Rows, Strategy, strategies
from lakelogic.write.operations import ReplaceRows


@strategies.add("overwrite")
class Overwrite(Strategy):
    """Replaces all rows of the table."""

    def operation(self, rows: Rows) -> ReplaceRows:
        return ReplaceRows()
