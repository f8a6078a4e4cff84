"""Exports after a run: the tables are written and logged, so that nothing that goes wrong here can lose them."""

from __future__ import annotations

from lakelogic.contract import LoadedContract
from lakelogic.errors import LakeLogicError
from lakelogic.exports.base import NothingToExport
from lakelogic.exports.receipts import Receipt
from lakelogic.run.result import RunResult


def sent_after(contract: LoadedContract, result: RunResult) -> tuple[Receipt, ...]:
    """The receipts of a contract's exports; where nothing could even be tried, one that says why."""
    from lakelogic.exports.sending import Asked, export_contract

    try:
        return export_contract(contract, Asked(run_id=result.run_id))
    except LakeLogicError as error:
        if isinstance(error, NothingToExport) and result.status == "no_new_data":
            return ()
        return (Receipt(contract.name, "exports", "every system", "failed", str(error), run_id=result.run_id),)
