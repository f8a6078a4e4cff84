"""`watermark_strategy: lookback`: what is new, and once more what is not much older."""

from __future__ import annotations

from datetime import timedelta

from lakelogic.contract.values import parse_duration
from lakelogic.errors import ContractError
from lakelogic.sources.watermarks.base import Asked, Choice, Watermark, watermarks
from lakelogic.sources.watermarks.watermark_field import above


@watermarks.add("lookback")
class Lookback(Watermark):
    """Reads again what lies within `lookback` before the watermark, and all that is new."""

    def choose(self, asked: Asked) -> Choice:
        if asked.source.lookback is None:
            raise ContractError("watermark_strategy lookback needs lookback.", cure="Add 'lookback: 7 days'.")
        if asked.source.watermark_field is not None:
            return above(asked, asked.source.watermark_field)
        files, past = asked.files("lookback"), asked.past
        if past.newest_ns is None:
            return Choice("no earlier run is in the log, so all files are new", files)
        since = past.newest_ns - parse_duration(asked.source.lookback) // timedelta(microseconds=1) * 1000
        chosen = tuple(file for file in files if file.modified_ns >= since or not past.has(file))
        again = sum(1 for file in chosen if past.has(file))
        return Choice(
            f"{len(chosen) - again} files are new, and {again} of the last {asked.source.lookback} come again", chosen
        )
