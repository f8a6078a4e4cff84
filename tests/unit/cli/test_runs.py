"""`lakelogic log` on a log that was written without an engine."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path

import pytest

from lakelogic.cli.main import main
from lakelogic.state.runlog import RunLog


@pytest.fixture
def project(tmp_path: Path) -> Path:
    (tmp_path / "customers.yaml").write_text("dataset: customers\nsource: {path: data/*.csv}\n")
    log = RunLog(tmp_path / ".lakelogic")
    for number, name in enumerate(["customers", "orders", "customers"], 1):
        moment = datetime(2026, 3, 28, 12, number, tzinfo=UTC)
        log.append(
            {
                "run_id": f"run-{number}",
                "contract": name,
                "status": "succeeded",
                "started_at": moment,
                "ended_at": moment,
                "duration_seconds": 1.0,
                "counts_source": number,
                "counts_good": number,
                "counts_quarantined": 0,
                "quarantine_ratio": 0.0,
            }
        )
    return tmp_path


def test_the_runs_of_a_contract_are_listed_oldest_first(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["log", str(project / "customers.yaml"), "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert told["format"] == 1
    assert [run["run_id"] for run in told["runs"]] == ["run-1", "run-3"]
    assert told["runs"][0]["started_at"] == "2026-03-28T12:01:00+00:00"


def test_all_runs_of_the_project_are_listed(
    project: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(project)
    assert main(["log", "--limit", "2"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[3] for line in lines[1:3]] == ["orders", "customers"]
    assert lines[3] == "and 1 before; --limit shows more"


def test_a_project_without_runs_says_so(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["log"]) == 0
    assert capsys.readouterr().out.startswith("No run is in the log of ")
