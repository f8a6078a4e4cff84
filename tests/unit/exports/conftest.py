"""What the tests of exports share."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.unit.exports.shop import Shop

_SYSTEMS = ("SNOWFLAKE_", "DATABRICKS_", "AWS_", "S3_")


@pytest.fixture
def shop(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Shop:
    """A project in a folder of its own; no system is configured."""
    for name in [name for name in os.environ if name.startswith(_SYSTEMS)]:
        monkeypatch.delenv(name)
    return Shop(tmp_path)
