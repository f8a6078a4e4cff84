"""What changed in a contract, by what it does to readers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich.console import Console, Group, RenderableType
from rich.text import Text

from lakelogic.cli.screen.layout import grid, joined, line, mark, section
from lakelogic.contract.diff.base import EFFECTS, Change, Diff, Effect

_MARKS = {"breaking": "bad", "safe": "good", "informational": "idle"}
_NOTES = {
    "breaking": "readers may lose rows or columns, or get other values",
    "safe": "readers get all that they got",
    "informational": "not about what readers get, or for you to judge",
}


def diff_view(diff: Diff, old: str, new: str, console: Console) -> RenderableType:
    """A line on the whole, then a block for each effect."""
    head = Text.assemble(line(old, "cyan"), " → ", line(new, "cyan"))
    if not diff.changes:
        return Group(head, line("Nothing changed."))
    counts = joined(f"{len(found)} {effect}" for effect in EFFECTS if (found := diff.of(effect)))
    return Group(Text.assemble(head, (f"  {counts}", "dim")), *_blocks(diff, console), *_advice(diff))


def _blocks(diff: Diff, console: Console) -> Iterator[RenderableType]:
    for effect in EFFECTS:
        if found := diff.of(effect):
            yield section(effect.capitalize(), _table(found, effect, console), note=_NOTES[effect])


def _table(changes: Sequence[Change], effect: Effect, console: Console) -> RenderableType:
    table = grid("left", "left", "wrap", "left")
    for change in changes:
        place = f"{change.place.file}:{change.place.line}" if change.place.line else ""
        sign = mark(console, _MARKS[effect])
        table.add_row(sign, line(change.subject, "bold"), line(change.message), line(place, "dim"))
    return table


def _advice(diff: Diff) -> Iterator[RenderableType]:
    """A breaking change asks for a new major version."""
    old, new = diff.old.model.info.version, diff.new.model.info.version
    major = old.split(".")[0]
    if diff.breaks and major == new.split(".")[0] and major.isdigit():
        yield ""
        yield line(f"info.version is {new}: a breaking change asks for {int(major) + 1}.0.0.", "yellow")
