"""Rows of quarantine: many as a table, one as a whole."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC

from rich.console import Group, RenderableType
from rich.text import Text

from lakelogic.cli.screen.layout import grid, headed, line, section
from lakelogic.quarantine.rows import QuarantinedRow
from lakelogic.wording import cell, counted, shortened

_ID_WIDTH = 12
_VALUE_WIDTH = 60


def rows_view(rows: Sequence[QuarantinedRow], states: Mapping[str, int], table: str) -> RenderableType:
    """The rows, and how many there are in each state."""
    told = " · ".join(f"{number:,} {state}" for state, number in states.items() if number)
    summary = line(f"{table}: {told or 'no rows'}", "dim")
    if not rows:
        return summary
    shown = headed(("Row", "left"), ("Quarantined (UTC)", "left"), ("State", "left"), ("Why", "wrap"), ("From", "wrap"))
    for row in rows:
        shown.add_row(row.id[:_ID_WIDTH], _moment(row), row.state, line("; ".join(row.errors)), line(_origin(row)))
    return Group(shown, summary)


def row_views(rows: Sequence[QuarantinedRow]) -> Iterator[RenderableType]:
    """Each row whole, and what they have in common at the end."""
    for row in rows:
        yield section(f"Row {row.id}", _facts(row), note=row.state)
    if len(rows) > 1:
        runs = {row.run_id for row in rows}
        yield line(f"{counted(len(rows), 'row')} in {counted(len(runs), 'run')}, since {_moment(rows[0])} UTC.", "dim")


def _facts(row: QuarantinedRow) -> RenderableType:
    facts = grid("left", "wrap")
    for rule, error in zip(row.rules, row.errors, strict=False):
        facts.add_row(Text(rule, style="red"), line(error))
    for name, value in row.values.items():
        facts.add_row(Text(name, style="dim"), line(shortened(cell(value), _VALUE_WIDTH)))
    facts.add_row(Text("from", style="dim"), line(_origin(row)))
    facts.add_row(Text("by run", style="dim"), line(f"{row.run_id} at {_moment(row)} UTC"))
    if row.state_run != row.run_id:
        facts.add_row(Text(f"{row.state} by", style="dim"), line(row.state_run))
    if row.original is not None:
        facts.add_row(Text("original", style="dim"), line(cell(row.original)))
    return facts


def _origin(row: QuarantinedRow) -> str:
    place = "" if row.position is None else f", row {row.position + 1}"
    return f"{row.file or 'a table'}{place}"


def _moment(row: QuarantinedRow) -> str:
    return row.quarantined_at.astimezone(UTC).strftime("%Y-%m-%d %H:%M:%S")
