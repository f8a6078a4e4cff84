"""The run log as a table."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from rich.cells import cell_len

from lakelogic.cli.screen.runs import runs_view
from lakelogic.observe.history import Found, Run
from tests.unit.screen.builders import plain_console, printed, terminal

FOLDER = Path("project/.lakelogic")


def a_run(**changes: Any) -> Run:
    known: dict[str, Any] = {
        "run_id": "20260328T120000Z-0a1b2c3d",
        "layer": "silver",
        "contract": "customers",
        "status": "succeeded",
        "started_at": datetime(2026, 3, 28, 12, 0, 0, tzinfo=UTC),
        "duration_seconds": 3.21,
        "counts_source": 4,
        "counts_good": 2,
        "counts_quarantined": 2,
        "quarantine_ratio": 0.5,
        "reason": "all files are new",
        "error": None,
    }
    return Run(**{**known, **changes})


def test_a_run_is_a_line_with_time_counts_ratio_and_reason() -> None:
    console = plain_console()
    heading, line = printed(console, runs_view(Found((a_run(),), 1), FOLDER, console)).splitlines()
    assert heading.split() == "Run Started (UTC) Contract Layer Status Source Good Bad Ratio Time Because".split()
    told = "✓ 0a1b2c3d 2026-03-28 12:00:00 customers silver succeeded 4 2 2 50.0% 3.2 s all files are new"
    assert line.split() == told.split()


def test_a_failed_run_tells_its_error_and_no_counts() -> None:
    failed = a_run(
        status="failed", error="can't write lake/customers: no space", counts_source=None, counts_good=None,
        counts_quarantined=None, quarantine_ratio=None,
    )  # fmt: skip
    console = plain_console()
    line = printed(console, runs_view(Found((failed,), 1), FOLDER, console)).splitlines()[1]
    assert line.split()[:10] == "✗ 0a1b2c3d 2026-03-28 12:00:00 customers silver failed - - -".split()
    assert line.endswith("can't write lake/customers: no space")


def test_runs_that_are_left_out_are_counted() -> None:
    console = plain_console()
    text = printed(console, runs_view(Found((a_run(),), 41), FOLDER, console))
    assert "and 40 before" in text


def test_an_empty_log_says_where_it_looked() -> None:
    console = plain_console()
    told = f"No run is in the log of {FOLDER}. --project names the folder of another project.\n"
    assert printed(console, runs_view(Found((), 0), FOLDER, console)) == told


def test_what_does_not_fit_is_rounded_and_told_below() -> None:
    runs = (a_run(counts_source=1_234_567, counts_good=1_234_000), a_run(status="failed", error="no space left"))
    console = terminal(72)
    console._color_system = None
    lines = printed(console, runs_view(Found(runs, 2), FOLDER, console)).splitlines()
    assert lines[1].split() == "✓ 0a1b2c3d 03-28 12:00 customers 1.2M 1.2M 2 50.0% 3.2 s".split()
    assert lines[-1].strip() == "✗  0a1b2c3d  no space left"


@pytest.mark.parametrize("width", [72, 80, 100, 140])
def test_a_table_of_runs_fits_the_terminal(width: int) -> None:
    runs = (a_run(counts_source=1_234_567, counts_good=1_234_000), a_run(status="failed", error="it broke " * 30))
    console = terminal(width)
    console.no_color, console._color_system = True, None
    lines = printed(console, runs_view(Found(runs, 2), FOLDER, console)).splitlines()
    assert max(cell_len(line) for line in lines) <= width
    assert "it broke" in "\n".join(lines)
