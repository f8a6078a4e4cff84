"""`lakelogic run-log query` on a log that was written without an engine."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path

import pytest

from lakelogic.cli.main import main
from lakelogic.state.runlog import RunLog


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    log = RunLog(tmp_path / ".lakelogic")
    for number, name in enumerate(["customers", "orders", "customers"], 1):
        moment = datetime(2026, 3, 28, 12, number, tzinfo=UTC)
        log.append({"run_id": f"run-{number}", "contract": name, "counts_good": number, "ended_at": moment})
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_a_question_is_answered_as_data(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    sql = "SELECT contract, sum(counts_good) AS good, max(ended_at) AS newest FROM run_log GROUP BY 1 ORDER BY 1"
    assert main(["run-log", "query", sql, "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == {
        "format": 1,
        "columns": ["contract", "good", "newest"],
        "rows": [
            {"contract": "customers", "good": 4, "newest": "2026-03-28T12:03:00+00:00"},
            {"contract": "orders", "good": 2, "newest": "2026-03-28T12:02:00+00:00"},
        ],
    }


def test_a_question_is_answered_as_a_table(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["run-log", "query", "SELECT run_id FROM run_log WHERE contract = 'orders'"]) == 0
    assert [line.strip() for line in capsys.readouterr().out.splitlines()] == ["run_id", "run-2"]


def test_a_project_without_runs_has_an_empty_log(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["run-log", "query", "SELECT count(*) AS runs FROM run_log", "--project", str(tmp_path), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["rows"] == [{"runs": 0}]


@pytest.mark.parametrize(
    ("sql", "told"),
    [
        ("SELECT nosuch FROM run_log", 'Referenced column "nosuch" not found'),
        ("SELECT", "the query can't be answered"),
        ("", "it is not one SELECT."),
        ("DROP VIEW run_log", "it is not one SELECT."),
        ("SELECT 1; SELECT 2", "it is not one SELECT."),
        ("COPY run_log TO 'out.csv'", "it is not one SELECT."),
        ("SET threads = 1", "it is not one SELECT."),
        ("SELECT * FROM read_text('secret.txt')", "file system operations are disabled"),
        ("SELECT * FROM 'secret.csv'", "file system operations are disabled"),
        ("SELECT run_id, run_id FROM run_log", "column 'run_id' is there twice"),
    ],
)
def test_what_is_no_question_to_the_log_is_refused(
    project: Path, capsys: pytest.CaptureFixture[str], sql: str, told: str
) -> None:
    (project / "secret.txt").write_text("a")
    assert main(["run-log", "query", sql]) == 2
    assert told in capsys.readouterr().err
    assert sorted(path.name for path in project.iterdir()) == [".lakelogic", "secret.txt"]
