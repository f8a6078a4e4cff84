"""Bad rows that a later run has read and judged once more: what was said of them before no longer counts."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from sqlglot import exp

from lakelogic.plan import names
from lakelogic.plan.rows import Slice, comparable
from lakelogic.sources.files import SourceFile
from lakelogic.sql.build import ref
from lakelogic.sql.types import STRING, Column
from lakelogic.state.claims import QUARANTINE, RESET, Claim, Pinned


@dataclass
class _Later:
    """What later runs have read of a source: files, the table as a whole, and slices of either."""

    files: set[SourceFile] = field(default_factory=set)
    slices: list[Slice] = field(default_factory=list)
    whole_table: bool = False

    def add(self, read: Pinned) -> None:
        if read.slice is not None:
            self.slices.append(read.slice)
            return
        self.files.update(read.files)
        self.whole_table |= read.version is not None and read.after is None and read.rows is None


def was_read_again(newest_first: Iterable[Claim], types: Mapping[str, exp.DataType]) -> exp.Expr | None:
    """Whether a stored row was judged anew by a later run; None where no run has read anything twice.

    Moving such a row to the target would write it twice: its newer judgement is in the target, or in quarantine.
    """
    found: list[exp.Expr] = []
    later: dict[str, _Later] = defaultdict(_Later)
    for claim in (each for each in newest_first if each.input.kind not in (QUARANTINE, RESET)):
        known = later[claim.input.location]
        if rows := list(_read_again(claim.input, known, types)):
            own = exp.EQ(this=ref(names.QUARANTINE_RUN), expression=exp.Literal.string(claim.run_id))
            found.append(exp.and_(own, exp.or_(*rows)))
        known.add(claim.input)
    return exp.or_(*found) if found else None


def _read_again(read: Pinned, later: _Later, types: Mapping[str, exp.DataType]) -> Iterator[exp.Expr]:
    """Which rows of an input later runs have read, too."""
    again = [file.path for file in read.files if file in later.files]
    if (read.files and len(again) == len(read.files)) or (read.version is not None and later.whole_table):
        yield exp.true()
        return
    if again:
        yield exp.In(this=ref(names.SOURCE_FILE), expressions=[exp.Literal.string(path) for path in again])
    for part in later.slices:
        if part.column is not None:
            yield part.condition(*comparable(Column(part.column, STRING), types.get(part.column.lower())))
