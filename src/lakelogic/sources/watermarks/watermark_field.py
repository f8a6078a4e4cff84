"""`watermark_field`: rows above the highest value that was read, up to the highest that is there now."""

from __future__ import annotations

from datetime import datetime

from lakelogic.contract.values import parse_duration
from lakelogic.errors import ContractError
from lakelogic.plan.rows import RowWindow
from lakelogic.sources.watermarks.base import Asked, Choice, Watermark, watermarks


@watermarks.add("watermark_field")
class WatermarkField(Watermark):
    """Reads rows whose `watermark_field` lies above the last value that a succeeded run has read."""

    def choose(self, asked: Asked) -> Choice:
        return above(asked, field_of(asked, "watermark_field"))


def field_of(asked: Asked, strategy: str) -> str:
    """The column of the watermark.

    Raises:
        ContractError: the contract names none.
    """
    if asked.source.watermark_field is None:
        raise ContractError(
            f"watermark_strategy {strategy} needs watermark_field.", cure="Name the column whose values tell new rows."
        )
    return asked.source.watermark_field


def above(asked: Asked, column: str) -> Choice:
    """Rows above what was read, and those within `lookback` below it once more."""
    earlier = asked.past.window(column)
    if earlier is None or earlier.high is None:
        return Choice(f"no earlier run has read by {column}, so all rows are new", rows=RowWindow(column))
    lookback = asked.source.lookback
    if lookback is None:
        return Choice(f"{column} tells what is new", rows=RowWindow(column, earlier.high))
    window = RowWindow(column, moved_back(earlier.high, lookback), low_included=True)
    return Choice(f"{column} tells what is new, and the last {lookback} come again", rows=window)


def moved_back(moment: str, lookback: str) -> str:
    """A time or day as text, moved back by a length of time.

    Raises:
        ContractError: it is no time.
    """
    try:
        before = datetime.fromisoformat(moment) - parse_duration(lookback)
    except (ValueError, OverflowError):
        raise ContractError(
            f"lookback {lookback} can't be taken off the watermark {moment}, which is no time.",
            cure="Remove lookback, or name a watermark_field that holds dates or times.",
        ) from None
    is_day = len(moment) == len("2026-01-01")
    return before.date().isoformat() if is_day else before.isoformat(sep=" ")
