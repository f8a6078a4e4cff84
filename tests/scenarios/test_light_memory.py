"""Inputs larger than the memory, on the engines that run in this process."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import duckdb
import pytest
from deltalake import DeltaTable

_ROWS = 30_000_000
_LIMIT_MB = 2048
_CONTRACT = {
    "dataset": "readings",
    "source": {"path": "readings"},
    "model": {"fields": [{"name": "id", "type": "bigint", "required": True}]},
    "quality": {"row_rules": [{"sql": "a > 0.04"}, {"sql": "note LIKE 'n%'"}]},
    "materialization": {"strategy": "append", "target_path": "out"},
}
_LAZILY = """
import polars as pl
from lakelogic import DataProcessor

DataProcessor("contract.yaml", "polars").run(pl.scan_parquet("readings/*.parquet"))
"""
_WAYS = {
    "duckdb": ["-m", "lakelogic", "run", "contract.yaml", "--engine", "duckdb"],
    "polars, lazily": ["-c", _LAZILY],
}


@pytest.fixture
def readings(tmp_path: Path) -> Iterator[Path]:
    """A folder with a contract and rows that take more memory than the limit, of which one in 25 is bad."""
    (tmp_path / "readings").mkdir()
    (tmp_path / "contract.yaml").write_text(json.dumps(_CONTRACT))
    columns = "range AS id, random() AS a, random() AS b, 'n' || md5(CAST(range AS VARCHAR)) AS note"
    with duckdb.connect() as connection:
        connection.execute("SET preserve_insertion_order = false")
        connection.execute("SET enable_progress_bar = false")
        for first in range(0, _ROWS, _ROWS // 4):
            rows = f"SELECT {columns} FROM range({first}, {first + _ROWS // 4})"
            connection.execute(f"COPY ({rows}) TO '{tmp_path}/readings/{first}.parquet'")
    yield tmp_path
    # Gigabytes, of which pytest would keep those of three sessions.
    shutil.rmtree(tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("way", _WAYS)
def test_an_append_of_more_rows_than_fit_stays_within_2_gb(readings: Path, way: str) -> None:
    settings = {**os.environ, "LAKELOGIC_DUCKDB_MEMORY": "1GB", "LAKELOGIC_DUCKDB_TEMP": str(readings / "spilled")}
    child = subprocess.Popen([sys.executable, *_WAYS[way]], cwd=readings, env=settings)
    _, status, used = os.wait4(child.pid, 0)
    assert status == 0
    good, bad = DeltaTable(readings / "out").count(), DeltaTable(readings / "out_quarantine").count()
    assert (good + bad, 0.03 < bad / _ROWS < 0.05) == (_ROWS, True)
    assert used.ru_maxrss // 1024 < _LIMIT_MB
