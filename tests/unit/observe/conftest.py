"""Run logs made by hand."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from lakelogic.state.runlog import RunLog

NOON = datetime(2026, 3, 28, 12, tzinfo=UTC)

Add = Callable[..., None]


@pytest.fixture
def add(tmp_path: Path) -> Add:
    """Adds a run that began so many minutes after noon."""
    log = RunLog(tmp_path)

    def append(run_id: str, minute: int, contract: str = "orders", **more: Any) -> None:
        began = NOON + timedelta(minutes=minute)
        known = {
            "contract": contract,
            "layer": "bronze",
            "status": "succeeded",
            "engine": "duckdb",
            "started_at": began,
            "ended_at": began + timedelta(seconds=2),
            "duration_seconds": 2.0,
            "rules": [],
            "dataset_rules": [],
        }
        log.append({"run_id": run_id, **known, **more})

    return append
