"""Results, consoles and rows, made by hand."""

from __future__ import annotations

import io
from datetime import UTC, datetime
from typing import Any

from rich.console import Console, RenderableType

from lakelogic.cli.screen.consoles import console_for, show
from lakelogic.engines.base import Committed
from lakelogic.run.result import Counts, RuleResult, RunResult

STARTED = datetime(2026, 3, 28, 12, 0, 0, tzinfo=UTC)
ENDED = datetime(2026, 3, 28, 12, 0, 3, tzinfo=UTC)


def a_result(**changes: Any) -> RunResult:
    """The run of the home page's contract, with changes."""
    known: dict[str, Any] = {
        "run_id": "20260328T120000Z-0a1b2c3d",
        "pipeline_run_id": "20260328T120000Z-0a1b2c3d",
        "contract": "customers",
        "layer": "silver",
        "engine": "spark",
        "status": "succeeded",
        "reason": "no earlier run is in the log, so all files are new",
        "mode": "incremental",
        "started": STARTED,
        "ended": ENDED,
        "fingerprint": "e4f0eeb48420ceb8",
        "location": "landing/customers/*.json",
        "counts": Counts(4, 0, 2, 2, 0, 0, 2, 2),
        "rules": (
            a_rule("cus_id_required", message="Rule failed: cus_id is required"),
            a_rule("email_required", 1, message="Rule failed: email is required", sample={"email": "***"}),
            a_rule("email_like", 1, message="Rule failed: email LIKE '%@%.%'", sample={"email": "***"}),
        ),
        "target": Committed("catalog.silver.customers", 0, 2),
        "quarantine": Committed("catalog.quarantine.silver_customers", 0, 2),
    }
    return RunResult(**{**known, **changes})


def a_rule(name: str, failed: int = 0, **changes: Any) -> RuleResult:
    known: dict[str, Any] = {
        "status": "failed" if failed else "passed",
        "failed": failed,
        "category": "correctness",
        "severity": "error",
        "stage": "pre",
        "message": f"Rule failed: {name}",
    }
    return RuleResult(name, **{**known, **changes})


def plain_console() -> Console:
    """A console on a file, as in `lakelogic run … > file`."""
    return console_for(io.StringIO())


def terminal(width: int = 80) -> Console:
    """A console that believes to be a terminal."""
    return Console(
        file=io.StringIO(), force_terminal=True, width=width, color_system="standard", legacy_windows=False,
        emoji=False, markup=False, highlight=False,
    )  # fmt: skip


def printed(console: Console, *views: RenderableType) -> str:
    """What stands on a console after views were shown on it."""
    assert isinstance(console.file, io.StringIO)
    show(console, *views)
    return console.file.getvalue()
