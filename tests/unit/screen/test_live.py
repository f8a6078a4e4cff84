"""What is drawn while the driver runs, and the lines where nothing can be drawn."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, cast

import pytest
from loguru import logger
from rich.console import Console

from lakelogic.cli.screen.live import Board, BoardView, Lines
from lakelogic.driver.nodes import Node
from lakelogic.driver.summary import Outcome
from tests.unit.screen.builders import a_result, plain_console, printed, terminal


@dataclass(frozen=True)
class Named:
    """As much of a node as is drawn."""

    name: str
    layer: str | None


def node(name: str) -> Node:
    return cast("Node", Named(name, name.split("_", maxsplit=1)[0]))


WAITS: dict[str, list[str]] = {
    "bronze_a": [], "bronze_b": [], "silver_a": ["bronze_a"], "silver_b": ["bronze_b"], "gold_a": ["silver_a", "silver_b"],
}  # fmt: skip
GOOD = Outcome("bronze_a", "bronze", "a", "succeeded", "", result=a_result(), seconds=1.5)
BAD = Outcome("bronze_b", "bronze", "b", "failed", "no file matches", exit_code=1)
HELD = Outcome("silver_b", "silver", "b", "blocked", "upstream", exit_code=1, blocked_by="bronze_b")


@pytest.fixture
def board() -> Board:
    times = iter(range(1000))
    found = Board(clock=lambda: float(next(times)))
    found.planned([node(name) for name in WAITS], WAITS, "last_success")
    return found


def drawn(board: Board, console: Console | None = None) -> list[str]:
    console = console or plain_console()
    return [line.rstrip() for line in printed(console, BoardView(board)).splitlines()]


def test_what_waits_says_for_what(board: Board) -> None:
    board.began(node("bronze_a"), "last_success")
    board.doing(node("bronze_a"), "writing target")
    lines = drawn(board)
    assert [line.split()[0] for line in lines if not line.startswith(" ")] == ["bronze", "silver", "gold", "0"]
    assert any("bronze_a" in line and "writing target" in line for line in lines)
    assert any(line.split()[1:] == "silver_b waits for bronze_b".split() for line in lines)
    assert any(
        line.endswith("gold_a    waits for silver_a, silver_b") or "waits for silver_a, silver_b" in line
        for line in lines
    )


def test_what_ended_is_counted_and_what_is_blocked_says_by_what(board: Board) -> None:
    for outcome in (GOOD, BAD, HELD):
        board.ended(outcome)
    lines = drawn(board)
    assert lines[0].split()[0] == "bronze" and "2 of 2" in lines[0] and "2 good · 2 quarantined" in lines[0]
    assert not any("bronze_a" in line.split()[1:2] for line in lines if line.startswith(" "))
    assert any("bronze_b" in line and "failed: no file matches" in line for line in lines)
    assert any("silver_b" in line and "blocked by bronze_b" in line for line in lines)
    assert lines[-1].startswith("3 of 5 contracts · 2 good · 2 quarantined · ")


def test_a_long_reason_leaves_room_for_the_name(board: Board) -> None:
    board.ended(replace(BAD, reason="it broke " * 30))
    console = terminal(60)
    console._color_system = None
    lines = drawn(board, console)
    assert any(line.split()[:3] == ["✗", "bronze_b", "failed:"] and line.endswith("…") for line in lines)
    assert max(len(line) for line in lines) <= 60


def test_many_contracts_fit_the_screen_and_those_at_work_are_shown() -> None:
    board = Board()
    names = [f"bronze_{number:03}" for number in range(500)]
    board.planned([node(name) for name in names], dict.fromkeys(names, ()), "last_success")
    board.began(node("bronze_499"), "last_success")
    console = terminal(80)
    console.size = cast("Any", console.size)._replace(height=12)
    console._color_system = None
    lines = drawn(board, console)
    assert len(lines) <= 12
    assert any("bronze_499" in line for line in lines)
    assert "0 of 500 contracts" in lines[-1]
    assert max(len(line) for line in lines) <= 80


def test_without_a_terminal_each_end_is_a_line() -> None:
    said: list[str] = []
    logger.enable("lakelogic")
    sink = logger.add(lambda message: said.append(message.record["message"]), level="INFO")
    lines = Lines()
    lines.planned([node(name) for name in WAITS], WAITS, "last_success")
    for outcome in (GOOD, HELD, replace(GOOD, contract="silver_a", status="no_new_data", result=None)):
        lines.ended(outcome)
    logger.remove(sink)
    logger.disable("lakelogic")
    assert said == [
        "1 of 5: 'bronze_a' succeeded, 2 good · 2 quarantined, 1.5 s",
        "2 of 5: 'silver_b' blocked by bronze_b",
        "3 of 5: 'silver_a' nothing new, 1.5 s",
    ]
