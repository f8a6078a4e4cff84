"""The parts that every view is made of: sections, grids and marks."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from rich.console import Console, Group, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from lakelogic.wording import one_line, shortened

_MARKS = {
    "good": ("✓", "+", "green"),
    "bad": ("✗", "x", "red"),
    "doubtful": ("!", "!", "yellow"),
    "idle": ("○", "o", "bright_black"),
    "unknown": ("?", "?", "yellow"),
}
INDENT = 2
GAP = 2
# Narrower, a reason is a tower of single words.
_REASON_WIDTH = 40


def mark(console: Console, kind: str) -> Text:
    """A sign for how something fared, in a character that the console has."""
    sign, ascii_sign, colour = _MARKS[kind]
    return Text(ascii_sign if console.options.ascii_only else sign, style=f"bold {colour}")


def line(text: object, style: str = "") -> Text:
    """A text of the outside, made safe to print."""
    return Text(one_line(text), style=style)


def place(text: str, width: int) -> Text:
    """A path or table name, shortened in its middle."""
    return Text(shortened(one_line(text), width), style="cyan", no_wrap=True)


def grid(*columns: str) -> Table:
    """A table without lines; a column is `left` or `right`, and `wrap` if it may break its text."""
    table = Table(box=None, show_header=False, padding=(0, GAP, 0, 0), pad_edge=False)
    for column in columns:
        table.add_column(
            justify="right" if column == "right" else "left",
            no_wrap=column != "wrap",
            overflow="fold" if column == "wrap" else "ellipsis",
        )
    return table


def headed(*columns: tuple[str, str]) -> Table:
    """A table with a line under its headings; columns as in `grid`, after their heading."""
    table = grid(*(kind for _, kind in columns))
    table.show_header = True
    table.header_style = "dim"
    for (heading, _), column in zip(columns, table.columns, strict=True):
        column.header = Text(heading, style="dim")
    return table


def has_room_for_reasons(table: Table, console: Console) -> bool:
    """Whether reasons fit beside a table."""
    return width_of(table, console) + _REASON_WIDTH <= console.width


def width_of(table: Table, console: Console) -> int:
    """How wide a table is where nothing is cut."""
    return console.measure(table, options=console.options.update(max_width=10_000)).maximum


def section(title: str, *bodies: RenderableType, note: str = "") -> RenderableType:
    """A title with what belongs to it, and an empty line before."""
    head = Text.assemble((title, "bold"), (f"  {note}" if note else "", "dim"))
    return Group("", head, *(indented(body) for body in bodies))


def indented(body: RenderableType, by: int = INDENT) -> RenderableType:
    return Padding(body, (0, 0, 0, by), expand=False)


def joined(parts: Iterable[str], separator: str = " · ") -> str:
    return separator.join(part for part in parts if part)


def filled(parts: Sequence[Text], width: int, separator: str = " · ") -> Text:
    """Parts one after another, as many on a line as it holds; none is broken."""
    lines: list[list[Text]] = [[]]
    used = 0
    for part in parts:
        needed = part.cell_len + len(separator)
        if lines[-1] and used + needed > width:
            lines.append([])
            used = 0
        lines[-1].append(part)
        used += needed
    return Text(f"{separator.rstrip()}\n").join(Text(separator).join(line) for line in lines)
