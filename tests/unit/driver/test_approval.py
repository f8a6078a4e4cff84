"""Somebody must approve before rows are published that drift or are too bad."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from lakelogic.cli.main import main
from tests.unit.driver.lake import Lake

_BAD = "quality: {row_rules: [{sql: id < 2}]}\n"


@pytest.fixture
def doubtful(lake: Lake, monkeypatch: pytest.MonkeyPatch) -> Lake:
    """Half of the rows of `bronze_a` are bad; `silver_a` reads it."""
    lake.contract("bronze_a", _BAD)
    lake.contract("silver_a", source="bronze_a")
    lake.registry({"a": {"bronze": "bronze_a.yaml", "silver": "silver_a.yaml"}})
    monkeypatch.chdir(lake.root)
    return lake


def asked(lake: Lake, capsys: pytest.CaptureFixture[str]) -> tuple[int, dict[str, dict[str, str]]]:
    code = lake.command("--approval-required", "--approval-file", "ok/a.ok", "--json")
    return code, {run["contract"]: run for run in json.loads(capsys.readouterr().out)["runs"]}


def waiting_run(lake: Lake) -> str:
    return str(next(row["run_id"] for row in lake.log() if row["status"] == "awaiting_approval"))


def test_nothing_is_written_and_nothing_downstream_runs_until_it_is_approved(
    doubtful: Lake, capsys: pytest.CaptureFixture[str]
) -> None:
    code, runs = asked(doubtful, capsys)
    assert code == 3
    assert (runs["bronze_a"]["status"], runs["silver_a"]["status"]) == ("awaiting_approval", "blocked")
    assert "50.0% of the rows are bad, more than 5.0%" in runs["bronze_a"]["reason"]
    assert not (doubtful.root / "tables").exists()
    run = waiting_run(doubtful)
    assert f"lakelogic approve {run}" in runs["bronze_a"]["reason"]
    assert main(["approve", run, "--reason", "known gap", "--by", "kim"]) == 0
    written = json.loads(Path("ok/a.ok").read_text())["approvals"][0]
    assert (written["by"], written["why"], written["run_id"]) == ("kim", "known gap", run)
    # What arrives meanwhile is not part of what was approved, and asks for itself.
    doubtful.file("landing/bronze_a/bronze_a_2026-02-02.csv", "id,name\n0,late\n")
    capsys.readouterr()
    code, runs = asked(doubtful, capsys)
    assert [row["id"] for row in doubtful.rows("bronze_a")] == ["1"]
    assert [row["status"] for row in doubtful.log() if row["run_id"] == run] == ["awaiting_approval", "succeeded"]
    assert (code, runs["bronze_a"]["status"]) == (3, "awaiting_approval")
    assert run not in runs["bronze_a"]["reason"]


def test_drift_asks_too(doubtful: Lake, capsys: pytest.CaptureFixture[str]) -> None:
    doubtful.contract("bronze_a")
    assert asked(doubtful, capsys)[0] == 0
    doubtful.file("landing/bronze_a/bronze_a_2026-02-01.csv", "id,label\n1,a\n")
    code, runs = asked(doubtful, capsys)
    assert code == 3
    assert "schema drift: column 'label' is new; schema drift: column 'name' is gone" in runs["bronze_a"]["reason"]


def test_a_contract_may_ask_for_itself_and_say_how_many_are_too_many(doubtful: Lake) -> None:
    asks = "metadata: {approval_required: true, approval_quarantine_ratio_threshold: 40%, approval_file: ok.json}\n"
    doubtful.contract("bronze_a", _BAD + asks)
    assert main(["run", "contracts/bronze_a.yaml", "--engine", "duckdb"]) == 3
    doubtful.contract("bronze_a", _BAD + asks.replace("40%", "50%"))
    assert main(["run", "contracts/bronze_a.yaml", "--engine", "duckdb"]) == 0


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", "is empty, and an approval names the run."),
        ("ok", "is no file of approvals."),
        ('{"format": 1}', "is no file of approvals."),
        ('{"format": 1, "kind": "lakelogic-approvals", "approvals": [{"run_id": "x"}]}', "approves other runs."),
    ],
)
def test_a_file_that_is_empty_foreign_or_of_another_run_approves_nothing(
    doubtful: Lake, capsys: pytest.CaptureFixture[str], text: str, told: str
) -> None:
    doubtful.file("ok/a.ok", text)
    code, runs = asked(doubtful, capsys)
    assert code == 3
    assert told in runs["bronze_a"]["reason"]


def test_an_approval_does_not_cover_a_contract_that_changed_since(
    doubtful: Lake, capsys: pytest.CaptureFixture[str]
) -> None:
    asked(doubtful, capsys)
    assert main(["approve", waiting_run(doubtful), "--reason", "fine"]) == 0
    doubtful.contract("bronze_a", _BAD.replace("< 2", "< 1"))
    capsys.readouterr()
    code, runs = asked(doubtful, capsys)
    assert code == 3
    assert "approves other runs" in runs["bronze_a"]["reason"]


def test_a_run_that_nobody_waits_for_can_not_be_approved(doubtful: Lake, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["approve", "nosuch", "--reason", "x"]) == 2
    assert "no run nosuch waits for approval" in capsys.readouterr().err
