"""`watermark_strategy: delta_version`: what was committed to a Delta table since the version that was read."""

from __future__ import annotations

from lakelogic.errors import ContractError
from lakelogic.sources.watermarks.base import Asked, Choice, Watermark, watermarks


@watermarks.add("delta_version")
class DeltaVersion(Watermark):
    """Reads the commits after the last version that a succeeded run has read; the first run reads the whole table."""

    def choose(self, asked: Asked) -> Choice:
        if asked.listing is not None:
            raise ContractError(
                "watermark_strategy delta_version is for a Delta table, and the source is files.",
                cure="Use pipeline_log, or name a table.",
            )
        after = asked.past.version
        if after is None:
            return Choice("no earlier run has read the table, so all of it is new", versions=True)
        return Choice(f"version {after} was read", versions=True, after=after)
