"""What to try next."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence

from rich.console import RenderableType
from rich.text import Text

from lakelogic.cli.screen.layout import grid, section
from lakelogic.run.result import RunResult


def after_run(contract: str, result: RunResult, *, rows_shown: bool) -> tuple[tuple[str, str], ...]:
    """The commands that help most after this result, each with what it is good for."""
    name = shlex.quote(contract)
    runs = (f"lakelogic runs --contract {name}", "lists the runs")
    if result.status == "no_new_data":
        return (runs,)
    explain = (f"lakelogic explain {name}", "shows each rule with its SQL")
    if not result.counts.quarantined:
        return runs, explain
    bad = (f"lakelogic quarantine list {name}", "lists the bad rows with their reasons")
    return (explain, runs) if rows_shown else (bad, explain)


def after_plan(contract: str) -> tuple[tuple[str, str], ...]:
    return ((f"lakelogic run {shlex.quote(contract)}", "does it"),)


def next_view(commands: Sequence[tuple[str, str]]) -> Iterator[RenderableType]:
    """The commands, ready to be copied."""
    if commands:
        table = grid("left", "wrap")
        for command, why in commands:
            table.add_row(Text(command, style="bold cyan"), Text(why, style="dim"))
        yield section("Next", table)
