"""A DuckDB engine in a folder of its own."""

from __future__ import annotations

from pathlib import Path

import pytest

from lakelogic.engines.duckdb.engine import DuckDBEngine


@pytest.fixture
def engine(tmp_path: Path) -> DuckDBEngine:
    return DuckDBEngine(tmp_path / "warehouse")
