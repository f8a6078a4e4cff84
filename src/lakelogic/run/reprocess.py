"""A part of the target that is made anew from what was read before: some days, or some values of a column."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date

from lakelogic.contract import LoadedContract
from lakelogic.contract.values import parse_date
from lakelogic.errors import ContractError, UsageError
from lakelogic.plan.rows import Slice


def asked_slice(
    loaded: LoadedContract,
    column: str | None = None,
    first: str | date | None = None,
    last: str | date | None = None,
    values: Sequence[object] = (),
) -> Slice | None:
    """The slice that a caller asks for, with the column that the contract names for it; None where none is asked for.

    Raises:
        UsageError: days and values are mixed, or the wrong way round.
        ContractError: the contract names no column, or forbids it.
    """
    if first is None and last is None and not values:
        if column is not None:
            raise UsageError("a column to process again needs values or days.", cure="Add --reprocess-values.")
        return None
    if values and (first is not None or last is not None):
        raise UsageError("days and values can't both be processed again at once.", cure="Give one of them.")
    written = loaded.model.materialization
    if written.reprocess_policy == "fail":
        place = loaded.place("materialization", "reprocess_policy")
        raise ContractError(
            "the contract forbids to process again: reprocess_policy is fail.",
            cure="Choose another policy.",
            place=place,
        )
    named = column or (written.reprocess_date_column or _watermark(loaded) if not values else None)
    if named is None:
        raise UsageError(
            "it is not told by which column rows are found to process them again.",
            cure="Add --reprocess-column, or materialization.reprocess_date_column to the contract.",
        )
    _refuse_private(loaded, named)
    if values:
        return Slice(named, values=tuple(sorted({str(value) for value in values})))
    return _of_days(named, first, last)


def _refuse_private(loaded: LoadedContract, column: str) -> None:
    """What is processed again is logged."""
    field = next((item for item in loaded.model.model.fields if item.name.lower() == column.lower()), None)
    if field is not None and (field.is_personal or field.is_masked):
        raise UsageError(f"'{field.name}' is private, and its values would be logged.", cure="Name another column.")


def _of_days(column: str, first: str | date | None, last: str | date | None) -> Slice:
    days = [_day(each) if each is not None else None for each in (first, last)]
    if days[0] and days[1] and days[0] > days[1]:
        raise UsageError(f"{days[0]} is after {days[1]}.", cure="Exchange them.")
    return Slice(column, str(days[0]) if days[0] else None, str(days[1]) if days[1] else None)


def _day(value: str | date) -> date:
    try:
        return parse_date(str(value))
    except ValueError as error:
        raise UsageError(f"the day to process again {error}.", cure="Give it as YYYY-MM-DD.") from None


def _watermark(loaded: LoadedContract) -> str | None:
    return loaded.source.watermark_field if loaded.source else None
