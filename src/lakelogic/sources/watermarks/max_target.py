"""`watermark_strategy: max_target`: rows above the highest value that the target holds."""

from __future__ import annotations

from dataclasses import replace

from lakelogic.plan.rows import RowWindow
from lakelogic.sources.watermarks.base import Asked, Choice, Watermark, watermarks
from lakelogic.sources.watermarks.watermark_field import field_of


@watermarks.add("max_target")
class MaxTarget(Watermark):
    """Reads rows whose `watermark_field` lies above its highest value in the target, and was not read before."""

    def choose(self, asked: Asked) -> Choice:
        column = field_of(asked, "max_target")
        earlier = asked.past.window(column)
        # The log's value is the higher one where the rows above the target's were quarantined or filtered.
        window = RowWindow(column, earlier.high if earlier else None)
        return replace(Choice(f"the highest {column} in the target tells what is new"), rows=window, above_target=True)
