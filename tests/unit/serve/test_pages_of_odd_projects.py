"""Pages of projects that are empty, broken, or changed while somebody looks."""

from __future__ import annotations

from pathlib import Path

from starlette.testclient import TestClient

from lakelogic.serve import create_app

GOOD = "dataset: fine\nsource: {path: in.csv}\nmaterialization: {strategy: append, target_path: out}\n"


def visitor(folder: Path) -> TestClient:
    return TestClient(create_app(folder), base_url="http://127.0.0.1", client=("127.0.0.1", 1))


def test_a_contract_that_cannot_be_loaded_is_listed_with_the_reason(tmp_path: Path) -> None:
    (tmp_path / "fine.yaml").write_text(GOOD)
    (tmp_path / "bad.yaml").write_text(GOOD.replace("path: in", "pth: in").replace("out", "out2"))
    shown = visitor(tmp_path).get("/").text
    assert "can&#39;t be loaded" in shown
    assert "Did you mean &#39;path&#39;?" in shown
    assert "/contracts/fine" in shown
    assert "/contracts/bad" not in shown


def test_a_project_without_runs_says_the_first_command(tmp_path: Path) -> None:
    (tmp_path / "fine.yaml").write_text(GOOD)
    somebody = visitor(tmp_path)
    assert "lakelogic-driver ." in somebody.get("/").text
    assert "lakelogic run fine.yaml" in somebody.get("/contracts/fine").text


def test_a_contract_without_quarantine_has_no_queue_and_says_why(tmp_path: Path) -> None:
    (tmp_path / "fine.yaml").write_text(f"{GOOD}quarantine: {{enabled: false}}\n")
    answer = visitor(tmp_path).get("/review?contract=fine")
    assert answer.status_code == 503
    assert "the contract has no quarantine" in answer.text


def test_a_run_log_that_is_damaged_is_told_with_the_cure(tmp_path: Path) -> None:
    (tmp_path / "fine.yaml").write_text(GOOD)
    log = tmp_path / ".lakelogic" / "run_log" / "_delta_log"
    log.mkdir(parents=True)
    (log / "00000000000000000000.json").write_text("no json")
    answer = visitor(tmp_path).get("/")
    assert answer.status_code == 503
    assert "Restore it, or move it away." in answer.text
