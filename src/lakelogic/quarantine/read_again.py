"""Bad rows that a later run has read and judged once more: what was said of them before no longer counts."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from sqlglot import exp

from lakelogic.plan import names
from lakelogic.plan.rows import comparable
from lakelogic.sql.build import ref
from lakelogic.sql.types import STRING, Column
from lakelogic.state.claims import QUARANTINE, RESET, Claim


def was_read_again(newest_first: Iterable[Claim], types: Mapping[str, exp.DataType]) -> exp.Expr | None:
    """Whether a stored row was judged anew by a later run; None where no run has read anything twice.

    Moving such a row to the target would write it twice: its newer judgement is in the target, or in quarantine.
    """
    found: list[exp.Expr] = []
    later: list[Claim] = []
    for claim in (each for each in newest_first if each.input.kind not in (QUARANTINE, RESET)):
        own = exp.EQ(this=ref(names.QUARANTINE_RUN), expression=exp.Literal.string(claim.run_id))
        for other in (each for each in later if each.input.location == claim.input.location):
            if other.input.slice is None and _reads_all_of(other, claim):
                found.append(own)
                break
            if (part := other.input.slice) is not None and part.column is not None:
                column = Column(part.column, STRING)
                inside = part.condition(*comparable(column, types.get(part.column.lower())))
                found.append(exp.and_(own.copy(), inside))
        later.append(claim)
    return exp.or_(*found) if found else None


def _reads_all_of(later: Claim, earlier: Claim) -> bool:
    if earlier.input.files:
        return set(earlier.input.files) <= set(later.input.files)
    whole = later.input.after is None and later.input.rows is None
    return whole and earlier.input.kind == later.input.kind and later.input.version is not None
