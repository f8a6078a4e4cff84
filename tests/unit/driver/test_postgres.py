"""Summaries in a Postgres that really runs."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from lakelogic.observe.rows import COLUMNS
from lakelogic.observe.summaries.base import NotRecorded, TableName
from lakelogic.observe.summaries.postgres import PostgresSummaries
from tests.unit.driver.lake import Lake

psycopg: Any = pytest.importorskip("psycopg")
_PROGRAMS = sorted(Path("/usr/lib/postgresql").glob("*/bin"))


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    """A server of its own, behind a socket in its folder; it does not run as root."""
    if not _PROGRAMS:
        pytest.skip("there is no Postgres")
    programs = _PROGRAMS[-1]
    user = "postgres" if os.geteuid() == 0 else None
    folder = Path(tempfile.mkdtemp(prefix="pg"))
    if user is not None:
        shutil.chown(folder, user)

    def call(*words: str) -> None:
        subprocess.run([programs / words[0], *words[1:]], user=user, cwd=folder, check=True, stdout=subprocess.DEVNULL)

    data = str(folder / "data")
    call("initdb", "-D", data, "-A", "trust", "-U", "app", "--no-sync")
    call("pg_ctl", "-D", data, "-o", f"-k {folder} -c listen_addresses=''", "-l", str(folder / "log"), "-w", "start")
    try:
        yield f"postgresql://app@/postgres?host={folder}"
    finally:
        call("pg_ctl", "-D", data, "-m", "immediate", "-w", "stop")
        shutil.rmtree(folder)


def rows(address: str, table: str) -> list[dict[str, Any]]:
    with psycopg.connect(address, row_factory=psycopg.rows.dict_row) as connection:
        found: list[dict[str, Any]] = connection.execute(f"SELECT * FROM {table}").fetchall()
        return found


def test_the_table_has_what_the_metrics_file_has(lake: Lake, address: str) -> None:
    lake.contract("bronze_a")
    lake.registry({"a": {"bronze": "bronze_a.yaml"}})
    words = ["--summary-table", "lakelogic.pipeline_runs", "--summary-backend", "postgres"]
    words += ["--summary-database", address, "--metrics-path", str(lake.root / "m.json")]
    assert lake.command(*words) == 0
    found = rows(address, "lakelogic.pipeline_runs")
    told = json.loads((lake.root / "m.json").read_text())
    plain = [
        {name: value.isoformat(timespec="microseconds") if name.endswith("_at") else value
         for name, value in row.items()}
        for row in found
    ]  # fmt: skip
    assert plain == [told["pipeline"], *told["contracts"]]


def test_many_that_create_the_table_at_once_all_write(address: str) -> None:
    backend = PostgresSummaries(address, TableName("side_by_side", "runs"))
    row = dict.fromkeys((column.name for column in COLUMNS), None)
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(backend.write, [[row]] * 8))
    assert len(rows(address, "side_by_side.runs")) == 8


@pytest.mark.parametrize(
    "database", ["postgresql://app:s3cret@127.0.0.1:1/db", "postgres//app:s3cret@h/db", "postgresql://a:s3cret%@h/db"]
)
def test_a_server_that_cant_be_reached_is_told_without_the_password(database: str) -> None:
    backend = PostgresSummaries(database, TableName("lakelogic", "runs"))
    with pytest.raises(NotRecorded, match="^the summary was not written to Postgres: ") as caught:
        backend.write([])
    assert "s3cret" not in str(caught.value)
