"""Changes of a contract's tables and state that read no source: dropping rows of quarantine, and a reset."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from lakelogic.engines.base import Committed, Engine
from lakelogic.errors import ContractError
from lakelogic.plan.again import resolving
from lakelogic.plan.locations import deletes_of
from lakelogic.plan.model import Role, TablePlan
from lakelogic.plan.names import ROW_ID
from lakelogic.run.again import resolution
from lakelogic.run.begin import Beginning
from lakelogic.run.result import RunResult, result_of_claim
from lakelogic.state.claims import QUARANTINE, RESET, Claim, Pinned
from lakelogic.write.operations import ReplaceRows

DROP = "drop"
_EMPTY = "empty"


def claim_drop(beginning: Beginning, engine: Engine[Any], rows: Sequence[str], reason: str) -> Claim:
    """The next number, for rows that are to be dropped."""
    table = _quarantine(beginning)
    return beginning.claim_command(DROP, reason, Pinned(table.location, QUARANTINE, ids=tuple(rows)), engine)


def drop_rows(beginning: Beginning, engine: Engine[Any], claim: Claim) -> RunResult:
    """Mark the rows of a claim as dropped."""
    rows = engine.texts({ROW_ID: list(claim.input.ids)})
    dropped = resolution(engine, rows, "dropped", claim.run_id, reprocessed=False)
    table = resolving(_quarantine(beginning))
    written = engine.write(table, dropped, beginning.stamp("quarantine", claim))
    return replace(result_of_claim(beginning.loaded, claim, engine.name), quarantine=written)


def claim_reset(beginning: Beginning, engine: Engine[Any], reason: str, *, empty: bool) -> Claim:
    """The next number, for a reset: the number above it is the first that a run can have afterwards."""
    pinned = Pinned(beginning.target.text, RESET, batch_id=_EMPTY if empty else None)
    return beginning.claim_command(RESET, reason, pinned, engine)


def forget(beginning: Beginning, engine: Engine[Any], claim: Claim) -> RunResult:
    """Let earlier runs count no more, and take all rows out of the tables if the claim says so. Repeatable."""
    beginning.claims.forget(claim)
    result = result_of_claim(beginning.loaded, claim, engine.name)
    if claim.input.batch_id != _EMPTY:
        return result
    target = _emptied(beginning, engine, claim, beginning.plain_target, "target")
    quarantine = _emptied(beginning, engine, claim, beginning.quarantine, "quarantine")
    deletes = deletes_of(beginning.target)
    _emptied(beginning, engine, claim, replace(beginning.plain_target, location=deletes.text), "deleted")
    return replace(result, target=target, quarantine=quarantine)


def _emptied(
    beginning: Beginning, engine: Engine[Any], claim: Claim, table: TablePlan | None, role: Role
) -> Committed | None:
    """A table without its rows; one that this contract has never written is left alone."""
    if table is None or not engine.last_sequence(table, beginning.writer(role)):
        return None
    nothing = engine.select("SELECT * FROM source WHERE false", {"source": engine.read_back(table, None)})
    replaced = replace(table, operation=ReplaceRows(), evolution="strict")
    return engine.write(replaced, nothing, beginning.stamp(role, claim))


def _quarantine(beginning: Beginning) -> TablePlan:
    if (table := beginning.quarantine) is None:
        raise ContractError("the contract has no quarantine.", cure="Set quarantine.enabled.")
    return table
