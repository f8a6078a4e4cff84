"""How a slice of the target is made anew: its rows give way to the new ones, in the same commit."""

from __future__ import annotations

from collections.abc import Collection

from sqlglot import exp

from lakelogic.contract import LoadedContract
from lakelogic.errors import ContractError
from lakelogic.plan.rows import Slice
from lakelogic.sql.build import ref
from lakelogic.sql.types import Columns
from lakelogic.write.operations import AppendRows, MergeRows, Operation, ReplaceSlices


def made_anew(
    operation: Operation, part: Slice | None, loaded: LoadedContract, columns: Columns, masked: Collection[str]
) -> Operation:
    """The operation on a slice of a table, as `reprocess_policy` says. What is merged finds its rows by their keys.

    Raises:
        ContractError: the slice can't be found in the target.
    """
    if part is None or isinstance(operation, MergeRows):
        return operation
    if loaded.model.materialization.reprocess_policy == "append":
        return AppendRows()
    place = loaded.place("materialization")
    column = columns.find(part.column or "")
    if column is None:
        raise ContractError(
            f"the target has no column '{part.column}', by which rows are found to process them again.",
            cure="Name another with --reprocess-column, or as reprocess_date_column.",
            place=place,
        )
    if column.name.lower() in {name.lower() for name in masked}:
        raise ContractError(
            f"'{column.name}' is masked, so rows can't be found by it.", cure="Name another column.", place=place
        )
    condition = part.condition(ref(column), column.type).sql("spark")
    if isinstance(operation, ReplaceSlices) and operation.where is not None:
        # A snapshot of the same day stays, apart from the slice.
        condition = exp.and_(operation.where, condition, dialect="spark").sql("spark")
    return ReplaceSlices(where=condition)
