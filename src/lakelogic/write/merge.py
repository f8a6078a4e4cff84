"""`strategy: merge`: update by key, insert what is new, leave the rest."""

from __future__ import annotations

from lakelogic.write.base import Rows, Strategy, strategies
from lakelogic.write.operations import MergeRows


@strategies.add("merge")
class Merge(Strategy):
    """Updates rows whose key is in the table and inserts the others."""

    needs_key = True

    def operation(self, rows: Rows) -> MergeRows:
        return MergeRows(rows.keys, rows.keys, rows.compare, rows.insert_only)
