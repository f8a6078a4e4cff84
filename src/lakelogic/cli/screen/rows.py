"""A few rows as tables: good ones as they are stored, quarantined ones with their reasons."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from rich.console import Console, RenderableType
from rich.text import Text

from lakelogic.cli.screen.layout import GAP, INDENT, headed, line, section
from lakelogic.run.looking import SafeRows
from lakelogic.wording import HIDDEN, cell, counted, shortened

# Reasons that the messages beside them tell better.
_LEFT_OUT = {"_lakelogic_rules", "rejection_reason"}
_WIDEST = 60


def rows_view(rows: SafeRows, console: Console) -> list[RenderableType]:
    """Both tables, titled as the result names them."""
    return [
        section("result.good", table_view(rows.good, console), note="passed, masked, as stored"),
        section("result.bad", table_view(rows.bad, console), note="quarantined, private values hidden"),
    ]


def table_view(rows: Sequence[Mapping[str, object]], console: Console) -> RenderableType:
    """Rows as a table; on a terminal, the columns that fit."""
    if not rows:
        return line("no rows", "dim")
    names = [name for name in rows[0] if name not in _LEFT_OUT]
    texts = {name: [_text(row.get(name)) for row in rows] for name in names}
    widths = {name: max(len(name), *(len(text) for text in texts[name])) for name in names}
    shown = _fitting(widths, console.width - INDENT) if console.is_terminal else names
    table = headed(*((name, "wrap") for name in shown))
    for position in range(len(rows)):
        table.add_row(*(Text(texts[name][position], style=_style(texts[name][position])) for name in shown))
    if len(shown) < len(names):
        table.caption = f"and {counted(len(names) - len(shown), 'column')} more"
        table.caption_justify = "left"
    return table


def _text(value: object) -> str:
    return shortened(HIDDEN if value == HIDDEN else cell(value), _WIDEST)


def _style(text: str) -> str:
    return "dim" if text in ("null", HIDDEN) else ""


def _fitting(widths: Mapping[str, int], room: int) -> list[str]:
    """Columns that fit beside each other; the reasons are kept before others."""
    reasons = [name for name in widths if name.startswith("_lakelogic_")]
    room -= sum(widths[name] + GAP for name in reasons)
    kept: list[str] = []
    for name in (name for name in widths if name not in reasons):
        room -= widths[name] + GAP
        if kept and room < 0:
            break
        kept.append(name)
    return [*kept, *reasons]
