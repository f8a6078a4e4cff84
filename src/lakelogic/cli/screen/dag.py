"""Contracts layer by layer, with how each fared and what it reads."""

from __future__ import annotations

import io
from collections.abc import Iterator

from rich.console import Console, Group, RenderableType
from rich.text import Text

from lakelogic.cli.screen.consoles import console_for, show
from lakelogic.cli.screen.layout import grid, indented, joined, line, mark
from lakelogic.viewer.view import Box, View
from lakelogic.viewer.wording import mood, summary
from lakelogic.wording import counted, one_line, shortened

_STALE = "stale"
_READS_WIDTH = 72
_STYLES = {"good": "", "idle": "dim", "bad": "red", "doubtful": "yellow", "never": "dim"}


def dag_view(view: View, console: Console) -> RenderableType:
    """A block for each layer, in the order in which data flows."""
    layers = [layer for layer in view.layers if any(box.layer == layer for box in view.contracts)]
    head = joined([counted(len(view.contracts), "contract"), " → ".join(layers), f"{view.at:%Y-%m-%d %H:%M} UTC"])
    return Group(line(head, "bold"), *(part for layer in layers for part in _layer(layer, view, console)))


def dag_text(view: View) -> str:
    """The same without colour, for a file."""
    stream = io.StringIO()
    console = console_for(stream)
    show(console, dag_view(view, console))
    return stream.getvalue()


def _layer(layer: str, view: View, console: Console) -> Iterator[RenderableType]:
    names = max(len(one_line(box.name)) for box in view.contracts)
    summaries = max(len(_summary(box, view)) for box in view.contracts)
    # The layers are tables of their own, in columns as if they were one.
    table = grid("left", "left", "left", "wrap")
    for box in (each for each in view.contracts if each.layer == layer):
        sign = mark(console, "idle" if mood(box) == "never" else mood(box))
        fared = line(_summary(box, view).ljust(summaries), _STYLES[mood(box)])
        fared.highlight_words([_STALE], "yellow")
        table.add_row(sign, line(one_line(box.name).ljust(names), "bold"), fared, _reads(box, view))
    yield ""
    yield line(layer, "cyan")
    yield indented(table)


def _summary(box: Box, view: View) -> str:
    stale = box.runs.freshness(view.at) == "stale"
    return f"{summary(box, view.at)} · {_STALE}" if stale else summary(box, view.at)


def _reads(box: Box, view: View) -> Text:
    """What a contract reads: rows first, then what it looks up; an upstream that no registry lists says so."""
    told = []
    for arrow in sorted(view.needed_by(box.name), key=lambda each: not each.carries_rows):
        origin = view.by_name[arrow.origin]
        name = origin.name if origin.kind == "contract" else origin.label
        name += " (not listed)" if origin.kind == "unlisted" else ""
        told.append(shortened(one_line(name), _READS_WIDTH))
    return Text(f"← {', '.join(told)}" if told else "", style="dim")
