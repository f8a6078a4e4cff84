"""`watermark_strategy: pipeline_log`: files that no run has read, whatever their time."""

from __future__ import annotations

from lakelogic.errors import ContractError
from lakelogic.sources.watermarks.base import Asked, Choice, Watermark, never_read, told_new, watermarks


@watermarks.add("pipeline_log")
class PipelineLog(Watermark):
    """Reads files that no succeeded run has read, told apart by path, size and time."""

    def choose(self, asked: Asked) -> Choice:
        files = asked.files("pipeline_log")
        if asked.source.lookback is not None:
            raise ContractError(
                "lookback has no meaning for files with watermark_strategy pipeline_log, which reads each of them once.",
                cure="Remove it, or use watermark_strategy lookback.",
            )
        new = never_read(files, asked.past)
        return Choice(told_new(new, files, asked.past), new)
