"""The summary of the driver."""

from __future__ import annotations

import io
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from rich.console import Console

from lakelogic.cli.screen.driver import summary_view
from lakelogic.driver.summary import Outcome, Summary

_NOW = datetime(2026, 2, 6, 8, 0, tzinfo=UTC)
_GOOD = Outcome("bronze_a", "bronze", "a", "succeeded", "load_mode is full", seconds=1.25)
_BAD = Outcome("silver_a", "silver", "a", "failed", "no file matches in", seconds=0.5, exit_code=1)
_HELD = Outcome("gold_a", "gold", "a", "blocked", "upstream 'silver_a' failed", exit_code=1)
_WAITS = replace(_BAD, status="awaiting_approval", exit_code=3)


def summary(*outcomes: Outcome, interrupted: bool = False) -> Summary:
    ended = _NOW + timedelta(seconds=2)
    return Summary("r1", _NOW, ended, "duckdb", outcomes, notes=("said",), interrupted=interrupted)


def shown(width: int, *outcomes: Outcome) -> Iterator[str]:
    console = Console(file=io.StringIO(), width=width, force_terminal=False, markup=False, highlight=False)
    with console.capture() as captured:
        console.print(summary_view(summary(*outcomes), console))
    return (line.rstrip() for line in captured.get().splitlines())


def test_every_contract_has_a_line_with_its_reason() -> None:
    lines = list(shown(140, _GOOD, _BAD, _HELD))
    assert lines[0] == "✗ run r1  1 succeeded · 1 failed · 1 blocked · 2.0 s"
    assert [line.split()[:4] for line in lines[3:6]] == [
        ["✓", "bronze_a", "bronze", "succeeded"],
        ["✗", "silver_a", "silver", "failed"],
        ["!", "gold_a", "gold", "blocked"],
    ]
    assert lines[5].endswith("upstream 'silver_a' failed")
    assert lines[-1].strip() == "said"


@pytest.mark.parametrize("width", [60, 80, 100, 140])
def test_the_summary_fits_the_terminal(width: int) -> None:
    assert max(len(line) for line in shown(width, _GOOD, _BAD, _HELD)) <= width


def test_without_room_the_reasons_of_what_went_wrong_stand_below() -> None:
    lines = list(shown(80, _GOOD, _BAD))
    assert "✗ silver_a: no file matches in" in lines
    assert not any("load_mode is full" in line for line in lines)


@pytest.mark.parametrize(
    ("outcomes", "code"),
    [
        ((_GOOD,), 0),
        ((_GOOD, _BAD, _HELD), 1),
        ((_GOOD, _WAITS, _HELD), 3),
        ((_WAITS, _BAD), 1),
        ((replace(_BAD, exit_code=2), _HELD), 2),
        ((_HELD,), 1),
    ],
)
def test_the_exit_code_tells_what_kind_of_thing_went_wrong(outcomes: tuple[Outcome, ...], code: int) -> None:
    assert summary(*outcomes).exit_code == code
    assert summary(*outcomes, interrupted=True).exit_code == 130
