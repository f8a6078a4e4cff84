"""`lakelogic runs` on a log that was written without an engine."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

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


def told(capsys: pytest.CaptureFixture[str]) -> Any:
    return json.loads(capsys.readouterr().out)


def test_the_runs_of_a_contract_are_listed_newest_first(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["runs", "--contract", str(project / "customers.yaml"), "--json"]) == 0
    found = told(capsys)
    assert (found["format"], found["total"]) == (1, 2)
    assert [run["run_id"] for run in found["runs"]] == ["run-3", "run-1"]
    assert found["runs"][1]["started_at"] == "2026-03-28T12:01:00+00:00"


def test_a_contract_may_be_named(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["runs", "--contract", "orders", "--project", str(project), "--json"]) == 0
    assert [run["run_id"] for run in told(capsys)["runs"]] == ["run-2"]


def test_all_runs_of_the_project_are_listed(
    project: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(project)
    assert main(["runs", "--limit", "2"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[4] for line in lines[1:3]] == ["customers", "orders"]
    assert lines[3] == "and 1 before; --limit shows more"


@pytest.mark.parametrize(
    ("since", "expected"),
    [("2026-03-28T12:02", ["run-3", "run-2"]), ("2026-03-28", ["run-3", "run-2", "run-1"]), ("1h", [])],
)
def test_runs_are_listed_since_a_moment(
    project: Path, capsys: pytest.CaptureFixture[str], since: str, expected: list[str]
) -> None:
    assert main(["runs", "--since", since, "--project", str(project), "--json"]) == 0
    assert [run["run_id"] for run in told(capsys)["runs"]] == expected


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--since", "yesterday"], "--since yesterday is no time."),
        (["--until", "99999999999d"], "--until 99999999999d is no time."),
        (["--status", "fail"], "Did you mean 'failed'?"),
        (["--contract", "customer.yaml"], "there is no file customer.yaml."),
        (["show", "run-9"], "no run run-9 is in the log of"),
        (["show", "run-"], "no run run- is in the log of"),
        (["compare", "run-1", "x"], "no run x is in the log of"),
    ],
)
def test_what_makes_no_sense_is_told(
    project: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, words: list[str], said: str
) -> None:
    monkeypatch.chdir(project)
    assert main(["runs", *words]) == 2
    assert said in capsys.readouterr().err


def test_a_project_without_runs_says_so(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["runs"]) == 0
    assert capsys.readouterr().out.startswith("No run is in the log of ")
    assert main(["runs", "--status", "failed"]) == 0
    assert capsys.readouterr().out.startswith("No run that is asked for is in the log of ")


@pytest.fixture
def lake(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Two real runs of a contract; the second has a bad row more, and another column."""
    contract = "dataset: orders\nlayer: bronze\nsource: {path: in, format: csv}\n"
    rule = "quality: {row_rules: [{not_null: name}]}\nmaterialization: {target_path: lake/orders}\n"
    (tmp_path / "orders.yaml").write_text(contract + rule)
    (tmp_path / "lakelogic.toml").write_text('engine = "duckdb"\n')
    monkeypatch.chdir(tmp_path)
    (tmp_path / "in").mkdir()
    (tmp_path / "in/1.csv").write_text("id,name\n1,a\n2,\n")
    assert main(["run", "orders.yaml"]) == 0
    (tmp_path / "in/1.csv").unlink()
    (tmp_path / "in/2.csv").write_text("id,name,more\n3,,x\n4,,y\n5,e,z\n")
    assert main(["run", "orders.yaml"]) == 0
    return tmp_path


def test_a_run_is_shown_as_it_was_told(lake: Path, capsys: pytest.CaptureFixture[str]) -> None:
    capsys.readouterr()
    assert main(["runs", "--json"]) == 0
    second, first = [run["run_id"] for run in told(capsys)["runs"]]
    assert main(["runs", "show", first[-8:]]) == 0
    shown = capsys.readouterr().out
    assert shown.startswith("✓ orders  bronze · duckdb · 2 rows in ")
    assert "name_not_null" in shown
    assert ["run", first] in [line.split() for line in shown.splitlines()]
    assert main(["runs", "show", second, "--json"]) == 0
    assert told(capsys)["report"]["counts"]["quarantined"] == 2


def test_two_runs_are_compared(lake: Path, capsys: pytest.CaptureFixture[str]) -> None:
    capsys.readouterr()
    assert main(["runs", "--json"]) == 0
    second, first = [run["run_id"] for run in told(capsys)["runs"]]
    assert main(["runs", "compare", first, second, "--json"]) == 0
    compared = told(capsys)
    assert {each["name"]: each["change"] for each in compared["counts"]}["quarantined"] == 1
    assert {"name": "name_not_null", "a": 1, "b": 2, "change": 1} in compared["rules"]
    assert compared["columns"] == [{"name": "more", "a": None, "b": "string", "change": None}]
    assert main(["runs", "compare", first, second]) == 0
    shown = [line.split() for line in capsys.readouterr().out.splitlines()]
    assert ["quarantined", "1", "2", "+1"] in shown
    assert ["more", "-", "string"] in shown
