"""Phases are timed, and drawn only where something can be drawn over."""

from __future__ import annotations

import io

from rich.spinner import Spinner

from lakelogic.cli.screen.progress import Phases, phases_view, watched
from lakelogic.engines.base import Tasks
from tests.unit.screen.builders import plain_console, printed, terminal


class Clock:
    """Time that moves when it is told to."""

    now = 0.0

    def __call__(self) -> float:
        return self.now


def test_each_phase_knows_its_time_and_one_that_comes_twice_is_added_up() -> None:
    clock = Clock()
    phases = Phases(clock)
    for what, took in (("planning", 1.0), ("writing target", 2.5), ("planning", 0.5)):
        phases(what)
        clock.now += took
    assert (phases.current, phases.took) == ("planning", {"planning": 1.5, "writing target": 2.5})
    phases.end()
    clock.now += 10
    assert phases.took == {"planning": 1.5, "writing target": 2.5}


def test_the_phase_under_way_shows_the_tasks_of_the_engine() -> None:
    clock = Clock()
    phases = Phases(clock)
    phases("planning")
    clock.now = 2.0
    phases("writing target")
    clock.now = 5.0
    console = plain_console()
    text = printed(console, phases_view(phases, Tasks(12, 40), Spinner("dots"), console))
    done, current = text.splitlines()
    assert done.split() == ["✓", "planning", "2.0", "s"]
    assert "writing target" in current and "3.0 s" in current and "12 of 40 tasks" in current


def test_without_a_terminal_nothing_is_drawn() -> None:
    for console in (plain_console(), terminal()):
        with watched(console, phases := Phases(), tasks=lambda: None):
            phases("planning")
        assert isinstance(console.file, io.StringIO)
        assert console.file.getvalue() == ""
        assert phases.current is None


def test_phases_end_when_the_work_fails() -> None:
    phases = Phases()
    try:
        with watched(plain_console(), phases, tasks=lambda: None):
            phases("planning")
            raise KeyboardInterrupt
    except KeyboardInterrupt:
        assert phases.current is None
        assert list(phases.took) == ["planning"]
