"""What the tests of the driver share."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.unit.driver.lake import Lake


@pytest.fixture
def lake(tmp_path: Path) -> Lake:
    """An empty lakehouse."""
    found = Lake(tmp_path)
    found.file("lakelogic.toml", 'engine = "duckdb"\n')
    return found
