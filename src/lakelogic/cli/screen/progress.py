"""What a run is doing now, while it works: its phases with their times, and the tasks of the engine."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Event, Thread
from time import monotonic

from rich.console import Console, ConsoleOptions, RenderResult
from rich.live import Live
from rich.progress_bar import ProgressBar
from rich.spinner import Spinner
from rich.table import Table
from rich.text import Text

from lakelogic.cli.screen.consoles import animates
from lakelogic.cli.screen.layout import grid, mark
from lakelogic.engines.activity import tasks_under_way
from lakelogic.engines.base import Tasks
from lakelogic.wording import seconds

_ASK_EVERY = 0.5
_BAR_WIDTH = 24


class Phases:
    """Hears which phase begins, and knows how long each took. One that comes twice is added up."""

    def __init__(self, clock: Callable[[], float] = monotonic) -> None:
        self._clock = clock
        self._took: dict[str, float] = {}
        self._current: tuple[str, float] | None = None

    def __call__(self, what: str) -> None:
        self.end()
        self._current = what, self._clock()

    def end(self) -> None:
        """The phase under way has ended, and none follows it."""
        if self._current is not None:
            what, began = self._current
            self._took[what] = self._took.get(what, 0.0) + self._clock() - began
            self._current = None

    @property
    def current(self) -> str | None:
        return self._current[0] if self._current else None

    @property
    def took(self) -> dict[str, float]:
        """Seconds of each phase in order, the one under way included."""
        if self._current is None:
            return dict(self._took)
        what, began = self._current
        return {**self._took, what: self._took.get(what, 0.0) + self._clock() - began}


@contextmanager
def watched(
    console: Console, phases: Phases, *, draws: bool = True, tasks: Callable[[], Tasks | None] = tasks_under_way
) -> Iterator[None]:
    """Draw the phases while the body runs, and leave nothing behind; without a terminal, draw nothing."""
    if not draws or not animates(console):
        try:
            yield
        finally:
            phases.end()
        return
    asker = _Asker(tasks)
    view = _View(phases, asker)
    try:
        with Live(view, console=console, transient=True, refresh_per_second=8, redirect_stdout=False):
            yield
    finally:
        asker.stop()
        phases.end()


class _Asker:
    """Asks the engine for its tasks now and then, on a thread of its own so that a slow answer stops no drawing."""

    def __init__(self, tasks: Callable[[], Tasks | None]) -> None:
        self.latest: Tasks | None = None
        self._tasks = tasks
        self._stopped = Event()
        Thread(target=self._ask, daemon=True).start()

    def _ask(self) -> None:
        while not self._stopped.wait(_ASK_EVERY):
            self.latest = self._tasks()

    def stop(self) -> None:
        self._stopped.set()


class _View:
    """Phases that ended with their times, and the one under way with a spinner."""

    def __init__(self, phases: Phases, asker: _Asker) -> None:
        self._phases = phases
        self._asker = asker
        self._spinner = Spinner("dots", style="cyan")

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        yield phases_view(self._phases, self._asker.latest, self._spinner, console)


def phases_view(phases: Phases, tasks: Tasks | None, spinner: Spinner, console: Console) -> Table:
    """A line for each phase."""
    table = grid("left", "left", "right", "left", "left")
    for what, took in phases.took.items():
        if what != phases.current:
            table.add_row(mark(console, "good"), Text(what, style="dim"), Text(seconds(took), style="dim"), "", "")
            continue
        bar = ProgressBar(tasks.total, tasks.done, _BAR_WIDTH, complete_style="cyan") if tasks else Text()
        told = Text(f"{tasks.done:,} of {tasks.total:,} tasks", style="dim") if tasks else Text()
        table.add_row(spinner, Text(what, style="bold"), Text(seconds(took)), bar, told)
    return table
