"""Log lines have the form of the home page."""

from __future__ import annotations

import io
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta, timezone
from typing import Any

import pytest
from loguru import logger

from lakelogic.cli.logging import log_line, log_to
from lakelogic.cli.screen.consoles import console_for


class Level:
    def __init__(self, name: str) -> None:
        self.name = name


def a_record(message: str, level: str = "INFO", **extra: object) -> Any:
    return {
        "message": message,
        "level": Level(level),
        "time": datetime(2026, 3, 28, 13, 0, 1, tzinfo=timezone(timedelta(hours=1))).astimezone(),
        "name": "lakelogic.run.tell",
        "function": "tell",
        "extra": extra,
    }


@pytest.fixture
def stderr() -> Iterator[io.StringIO]:
    """What the log wrote; the log is quiet again afterwards."""
    stream = io.StringIO()
    yield stream
    logger.remove()
    logger.disable("lakelogic")


def test_a_line_has_utc_time_level_and_message() -> None:
    line = log_line(a_record("Wrote 2 valid rows to catalog.silver.customers"), verbose=False)
    assert line == "[2026-03-28 12:00:01] INFO  | Wrote 2 valid rows to catalog.silver.customers"


@pytest.mark.parametrize(("level", "shown"), [("WARNING", "WARN "), ("ERROR", "ERROR"), ("DEBUG", "DEBUG")])
def test_levels_are_five_characters_wide(level: str, shown: str) -> None:
    assert log_line(a_record("x", level), verbose=False) == f"[2026-03-28 12:00:01] {shown} | x"


def test_an_alert_is_its_bare_message() -> None:
    told = "LakeLogic Alert: 2 records quarantined in 'customers'. Total: 4"
    assert log_line(a_record(told, "WARNING", alert=True), verbose=True) == told


def test_a_verbose_line_adds_function_and_tags() -> None:
    line = log_line(a_record("x", run_id="r1", contract="customers", layer=None, engine="spark"), verbose=True)
    assert line == (
        "[2026-03-28 12:00:01] INFO  | x | lakelogic.run.tell.tell | contract=customers engine=spark run_id=r1"
    )


def test_a_message_stays_on_one_line_and_is_not_markup(stderr: io.StringIO) -> None:
    log_to(console_for(stderr), verbose=False)
    logger.patch(_as_ours).info("[bold]{}", "a\nb\x1b[2J" + "long " * 100)
    assert stderr.getvalue().count("\n") == 1
    assert "| [bold]a\\nb\\x1b[2J" in stderr.getvalue()


def test_debug_lines_need_verbose(stderr: io.StringIO) -> None:
    log_to(console_for(stderr), verbose=False)
    logger.patch(_as_ours).debug("hidden")
    log_to(console_for(stderr), verbose=True)
    logger.patch(_as_ours).debug("shown")
    assert "hidden" not in stderr.getvalue()
    assert "shown" in stderr.getvalue()


def _as_ours(record: Any) -> None:
    record["name"] = "lakelogic.test"
    record["time"] = record["time"].astimezone(UTC)
