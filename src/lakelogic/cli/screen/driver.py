"""A run of the driver: what is at work now, and the summary at its end."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock
from time import monotonic

from rich.console import Console, ConsoleOptions, Group, RenderableType, RenderResult
from rich.live import Live
from rich.spinner import Spinner
from rich.table import Table
from rich.text import Text

from lakelogic.cli.screen.consoles import animates, is_narrow
from lakelogic.cli.screen.layout import grid, headed, joined, line, mark, section
from lakelogic.cli.screen.wording import number, one_line, seconds, shortened
from lakelogic.driver.nodes import Node
from lakelogic.driver.summary import Outcome, Summary

_KINDS = {
    "succeeded": "good",
    "no_new_data": "idle",
    "done_before": "idle",
    "planned": "idle",
    "passed_over": "idle",
    "failed": "bad",
    "interrupted": "bad",
}
_TEXTS = {"no_new_data": "nothing new", "done_before": "done before", "passed_over": "not meant",
          "awaiting_approval": "awaits approval"}  # fmt: skip
_NAME_WIDTH = 32


class Board:
    """Hears which contracts are at work, on what, and since when."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._working: dict[str, tuple[str, float]] = {}
        self.done = 0

    def began(self, node: Node, window: str) -> None:
        with self._lock:
            self._working[node.name] = "beginning", monotonic()

    def doing(self, node: Node, what: str) -> None:
        with self._lock:
            _, since = self._working.get(node.name, ("", monotonic()))
            self._working[node.name] = what, since

    def ended(self, outcome: Outcome) -> None:
        with self._lock:
            self._working.pop(outcome.contract, None)
            self.done += 1

    @property
    def working(self) -> dict[str, tuple[str, float]]:
        with self._lock:
            return dict(self._working)


@contextmanager
def drawn(console: Console, board: Board, *, draws: bool = True) -> Iterator[None]:
    """Draw the board while the body runs, and leave nothing behind; without a terminal, draw nothing."""
    if not draws or not animates(console):
        yield
        return
    with Live(_View(board), console=console, transient=True, refresh_per_second=8, redirect_stdout=False):
        yield


class _View:
    """A line for each contract at work."""

    def __init__(self, board: Board) -> None:
        self._board = board
        self._spinner = Spinner("dots", style="cyan")

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        table = grid("left", "left", "left", "right")
        for name, (what, since) in self._board.working.items():
            table.add_row(self._spinner, line(name, "bold"), line(what, "dim"), seconds(monotonic() - since))
        yield table
        if self._board.done:
            yield line(f"{self._board.done} done", "dim")


def summary_view(summary: Summary, console: Console) -> RenderableType:
    """What became of each contract, and how all of it ended."""
    parts: list[RenderableType] = [_head(summary, console), "", _table(summary, console)]
    parts += _told_below(summary, console)
    notes = [
        *summary.not_recorded,
        *summary.notes,
        *(f"{o.contract}: {text}" for o in summary.outcomes for text in o.warnings),
    ]
    if saved := summary.references:
        notes.append(f"references: {saved['read']} read, {saved['saved']} reads saved")
    if notes:
        parts.append(section("Notes", *(line(note, "yellow") for note in notes)))
    return Group(*parts)


def _head(summary: Summary, console: Console) -> RenderableType:
    took = (summary.ended - summary.started).total_seconds()
    counts = [f"{count} {_TEXTS.get(status, status)}" for status, count in summary.counts.items()]
    sign = mark(console, "bad" if summary.exit_code else "good")
    name = (f"run {summary.pipeline_run_id}", "bold")
    return Text.assemble(sign, " ", name, (f"  {joined([*counts, seconds(took)])}", "dim"))


def _table(summary: Summary, console: Console) -> Table:
    windows = len({outcome.window for outcome in summary.outcomes}) > 1
    reasons = not is_narrow(console)
    table = headed(
        ("", "left"), ("Contract", "left"), ("Layer", "left"), *((("Window", "left"),) if windows else ()),
        ("Status", "left"), ("Rows", "right"), ("Quarantined", "right"), ("Time", "right"),
        *((("Because", "wrap"),) if reasons else ()),
    )  # fmt: skip
    for outcome in summary.outcomes:
        counts = outcome.result.counts if outcome.result else None
        table.add_row(
            mark(console, _kind(outcome)),
            Text(shortened(one_line(outcome.contract), _NAME_WIDTH), style="bold"),
            outcome.layer or "-",
            *([outcome.window] if windows else []),
            _TEXTS.get(outcome.status, outcome.status),
            number(counts.good) if counts else "-",
            number(counts.quarantined) if counts else "-",
            seconds(outcome.seconds) if outcome.seconds else "-",
            *([line(outcome.reason, "" if outcome.exit_code else "dim")] if reasons else []),
        )
    return table


def _told_below(summary: Summary, console: Console) -> Iterator[RenderableType]:
    """Where there is no room for reasons in the table, those of what went wrong stand below it."""
    if is_narrow(console):
        for outcome in summary.outcomes:
            if outcome.exit_code:
                yield Text.assemble(mark(console, _kind(outcome)), f" {outcome.contract}: ", line(outcome.reason))


def _kind(outcome: Outcome) -> str:
    if outcome.status == "succeeded" and outcome.exit_code:
        return "bad"
    return _KINDS.get(outcome.status, "doubtful")
