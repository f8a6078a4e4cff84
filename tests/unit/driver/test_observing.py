"""What a run of the driver leaves behind: the same rows in every table and in the metrics file, whatever happens."""

from __future__ import annotations

import json
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

import duckdb
import pytest
from deltalake import DeltaTable

from lakelogic.errors import LakeLogicError
from lakelogic.observe.rows import COLUMNS
from tests.unit.driver.lake import Lake

Read = Callable[[Path], list[dict[str, Any]]]


def _duckdb(path: Path) -> list[dict[str, Any]]:
    # The time zone of a moment would need another package.
    with duckdb.connect(str(path), read_only=True) as connection:
        found = connection.sql(
            "SELECT * REPLACE (epoch_ms(started_at) AS started_at, epoch_ms(ended_at) AS ended_at) "
            "FROM lakelogic.pipeline_runs"
        )
        return [dict(zip(found.columns, row, strict=True)) for row in found.fetchall()]


def _sqlite(path: Path) -> list[dict[str, Any]]:
    with closing(sqlite3.connect(path)) as connection:
        connection.row_factory = sqlite3.Row
        return [dict(row) for row in connection.execute("SELECT * FROM lakelogic_pipeline_runs")]


def _delta(path: Path) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = DeltaTable(path / "lakelogic" / "pipeline_runs").to_pyarrow_table().to_pylist()
    return found


BACKENDS: dict[str, Read] = {"duckdb": _duckdb, "sqlite": _sqlite, "delta": _delta}


@pytest.fixture
def chain(lake: Lake) -> Lake:
    """Silver needs bronze; gold needs silver; a row of bronze is bad."""
    lake.contract("bronze_a", "quality: {row_rules: [{not_null: name}]}\n")
    lake.file("landing/bronze_a/bronze_a_2026-02-01.csv", "id,name\n1,a\n2,\n")
    lake.contract("silver_a", source="bronze_a")
    lake.contract("gold_a", source="silver_a")
    layers = ("bronze", "silver", "gold")
    lake.registry({"a": {layer: f"{layer}_a.yaml" for layer in layers}})
    return lake


def asked(lake: Lake, backend: str = "duckdb") -> list[str]:
    table = ["--summary-table", "lakelogic.pipeline_runs", "--summary-backend", backend]
    return [*table, "--summary-database", str(lake.root / "runs/db"), "--metrics-path", str(lake.root / "runs/m.json")]


def metrics(lake: Lake) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((lake.root / "runs/m.json").read_text())
    return found


def without_times(row: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in row.items() if name not in ("started_at", "ended_at")}


@pytest.mark.parametrize("backend", BACKENDS)
def test_the_table_has_what_the_metrics_file_has(chain: Lake, backend: str) -> None:
    assert chain.command(*asked(chain, backend)) == 0
    found = BACKENDS[backend](chain.root / "runs/db")
    told = metrics(chain)
    assert list(found[0]) == [column.name for column in COLUMNS]
    assert [without_times(row) for row in found] == [
        without_times(row) for row in (told["pipeline"], *told["contracts"])
    ]
    assert all(row["started_at"] and row["ended_at"] for row in found)
    pipeline, bronze, *_ = found
    assert (pipeline["kind"], pipeline["status"], pipeline["contracts"]) == ("pipeline", "succeeded", 3)
    assert (pipeline["counts_source"], pipeline["counts_good"], pipeline["counts_quarantined"]) == (4, 3, 1)
    assert (bronze["contract"], bronze["window"], bronze["quarantine_ratio"]) == ("bronze_a", "last_success", 0.5)
    assert bronze["duration_seconds"] > 0
    assert "writing target" in json.loads(bronze["timings"])
    assert chain.command(*asked(chain, backend), "--layers", "bronze") == 0
    again = [row for row in BACKENDS[backend](chain.root / "runs/db") if row not in found]
    assert [(row["kind"], row["status"]) for row in again] == [("pipeline", "succeeded"), ("contract", "succeeded")]


def test_what_failed_and_what_it_blocks_is_kept(chain: Lake) -> None:
    chain.file("landing/bronze_a/bronze_a_2026-02-01.csv", "")
    assert chain.command(*asked(chain)) == 2
    pipeline, *contracts = _duckdb(chain.root / "runs/db")
    assert (pipeline["status"], pipeline["exit_code"]) == ("failed", 2)
    assert pipeline["reason"].startswith("1 failed, 2 blocked; 'bronze_a': ")
    assert [(row["status"], row["blocked_by"]) for row in contracts] == [
        ("failed", None),
        ("blocked", "bronze_a"),
        ("blocked", "bronze_a"),
    ]
    assert contracts[0]["counts_good"] is None


def test_a_registry_that_is_wrong_leaves_a_row(chain: Lake) -> None:
    chain.file("contracts/_registry.yaml", "entries: []\n")
    assert chain.command(*asked(chain)) == 2
    (row,) = _duckdb(chain.root / "runs/db")
    assert (row["kind"], row["status"], row["exit_code"]) == ("pipeline", "failed", 2)
    assert "the registry lists no contract." in row["reason"]
    assert metrics(chain)["contracts"] == []


@pytest.mark.parametrize(
    ("error", "reason", "code"),
    [
        (KeyboardInterrupt(), "interrupted before a contract began", 130),
        (RuntimeError("4111 1111"), "unexpected RuntimeError: a defect of LakeLogic", 1),
        (LakeLogicError("no"), "no", 1),
    ],
)
def test_an_error_before_the_first_contract_leaves_a_row(
    chain: Lake, monkeypatch: pytest.MonkeyPatch, error: BaseException, reason: str, code: int
) -> None:
    def fail(*_: object) -> None:
        raise error

    monkeypatch.setattr("lakelogic.driver.drive.open_lakehouse", fail)
    with suppress(type(error)):
        chain.command(*asked(chain))
    assert (metrics(chain)["pipeline"]["reason"], metrics(chain)["pipeline"]["exit_code"]) == (reason, code)


def test_a_dry_run_leaves_nothing(chain: Lake) -> None:
    assert chain.command(*asked(chain), "--dry-run") == 0
    assert not (chain.root / "runs").exists()


def test_a_backfill_has_a_row_for_each_window(chain: Lake) -> None:
    days = ("--backfill-start-date", "2026-02-01", "--backfill-end-date", "2026-02-03")
    assert chain.command(*asked(chain), *days, "--layers", "bronze") == 0
    told = metrics(chain)
    assert told["pipeline"]["window"] == "2026-02-01 to 2026-02-03"
    assert [row["window"] for row in told["contracts"]] == [f"2026-02-0{day} to 2026-02-0{day}" for day in (1, 2, 3)]


@pytest.mark.parametrize("backend", BACKENDS)
@pytest.mark.parametrize("what", ["foreign", "folder below a file"])
def test_a_database_that_cant_be_written_does_not_harm_the_run(
    chain: Lake, capsys: pytest.CaptureFixture[str], backend: str, what: str
) -> None:
    chain.file("runs/db" if what == "foreign" else "runs", "this is no database, and it is long enough to be read\n")
    words = [word for word in asked(chain, backend) if "m.json" not in word and word != "--metrics-path"]
    assert chain.command(*words, "--layers", "bronze", "--json") == 1
    told = json.loads(capsys.readouterr().out)
    assert {run["status"] for run in told["runs"]} == {"succeeded"}
    assert told["exit_code"] == 1
    (problem,) = told["not_recorded"]
    assert problem.startswith(f"the summary was not written to {chain.root / 'runs/db'}: ")
    assert problem.endswith("Mend or free it, or name another with --summary-database.")
    assert len(chain.rows("bronze_a")) == 1


@pytest.mark.parametrize("backend", ["duckdb", "sqlite"])
def test_a_table_with_other_columns_is_left_alone(chain: Lake, backend: str) -> None:
    (chain.root / "runs").mkdir()
    if backend == "duckdb":
        with duckdb.connect(str(chain.root / "runs/db")) as other:
            other.execute("CREATE SCHEMA lakelogic; CREATE TABLE lakelogic.pipeline_runs (id INTEGER)")
    else:
        with closing(sqlite3.connect(chain.root / "runs/db")) as other:
            other.execute("CREATE TABLE lakelogic_pipeline_runs (id INTEGER)")
    assert chain.command(*asked(chain, backend), "--layers", "bronze") == 1
    assert len(chain.rows("bronze_a")) == 1
    assert metrics(chain)["pipeline"]["status"] == "succeeded"


def test_a_metrics_path_that_is_a_folder_is_told_and_the_table_is_written(
    chain: Lake, capsys: pytest.CaptureFixture[str]
) -> None:
    (chain.root / "runs/m.json").mkdir(parents=True)
    assert chain.command(*asked(chain), "--layers", "bronze") == 1
    said = capsys.readouterr().err
    assert f"the metrics were not written to {chain.root / 'runs/m.json'}: Is a directory." in said
    assert len(_duckdb(chain.root / "runs/db")) == 2
    assert [path.name for path in (chain.root / "runs").iterdir() if path.name.startswith(".")] == []


_HOLDERS = {
    "duckdb": "import duckdb, sys; c = duckdb.connect(sys.argv[1]); print(1, flush=True); sys.stdin.read()",
    "sqlite": "import sqlite3, sys; c = sqlite3.connect(sys.argv[1]); c.execute('BEGIN EXCLUSIVE'); "
    "print(1, flush=True); sys.stdin.read()",
}


@pytest.mark.parametrize("backend", _HOLDERS)
def test_a_database_that_another_process_keeps_locked_is_told(
    chain: Lake, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], backend: str
) -> None:
    monkeypatch.setattr(f"lakelogic.observe.summaries.{backend}.PATIENCE_SECONDS", 0.1)
    (chain.root / "runs").mkdir()
    command = [sys.executable, "-c", _HOLDERS[backend], str(chain.root / "runs/db")]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as holder:
        assert holder.stdout and holder.stdout.readline() == b"1\n"
        assert chain.command(*asked(chain, backend), "--layers", "bronze") == 1
    assert "lock" in capsys.readouterr().err
    assert len(chain.rows("bronze_a")) == 1


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("--summary-table", "a.b"), "--summary-table needs a database."),
        (("--summary-backend", "sqlite"), "Add --summary-table schema.table."),
        (("--summary-table", "a; DROP", "--summary-database", "x"), "is not a name of letters, digits and _."),
        (("--summary-table", "a", "--summary-backend", "duckdbb", "--summary-database", "x"), "Did you mean 'duckdb'?"),
        (("--metrics-backend", "promtheus"), "--metrics-backend 'promtheus' is unknown. Did you mean 'prometheus'?"),
        (("--metrics-backend", "json"), "Add --metrics-path FILE."),
    ],
)
def test_a_wrong_word_stops_before_anything_runs(
    chain: Lake, capsys: pytest.CaptureFixture[str], words: tuple[str, ...], told: str
) -> None:
    assert chain.command(*words) == 2
    assert told in capsys.readouterr().err
    assert chain.log() == []


def test_a_library_that_is_missing_is_named_before_anything_runs(
    chain: Lake, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "psycopg", None)
    words = ("--summary-backend", "postgres", "--summary-table", "a", "--summary-database", "postgresql:///x")
    assert chain.command(*words) == 2
    assert "Install it: pip install" in capsys.readouterr().err
    assert chain.log() == []
