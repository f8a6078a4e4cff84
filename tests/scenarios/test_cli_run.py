"""`lakelogic run` as a user types it: what is on stdout, what is on stderr, and how it ends."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from loguru import logger

from lakelogic.cli.main import main
from tests.scenarios.project import Project

_HOME = Path(__file__).parents[2] / "examples" / "home"
_ORDERS = """
    dataset: orders
    source: {path: "data/*.csv"}
    model:
      fields:
        - {name: id, type: bigint, required: true}
        - {name: buyer, pii: true}
        - {name: amount, type: double}
    quality:
      row_rules: [{name: positive, sql: "amount > 0"}]
      dataset_rules: [{row_count_between: {min: 2}}]
    quarantine: {fail_on_quarantine: false}
    materialization: {strategy: append, target_path: out}
"""
_ROWS = "id,buyer,amount\n1,Jane,10\n2,Jim,-1\n"


@pytest.fixture(autouse=True)
def _quiet_afterwards() -> Iterator[None]:
    yield
    logger.remove()
    logger.disable("lakelogic")


@pytest.fixture
def home(project: Project, key: str) -> Path:
    """The page's contract on the page's four customers, into a path."""
    shutil.copytree(_HOME / "landing", project.root / "landing")
    text = (_HOME / "contract.yaml").read_text(encoding="utf-8")
    return project.contract(text.replace("catalog.silver.customers", "silver/customers"))


@pytest.fixture
def orders(project: Project) -> Path:
    """A contract whose dataset rule fails: one good row, and two are asked for."""
    project.file("data/a.csv", _ROWS)
    return project.contract(_ORDERS)


def test_the_home_page_is_shown_as_it_is_printed(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["run", str(home), "--show", "5"]) == 0
    out, err = capsys.readouterr()
    place = home.parent / "silver" / "customers"
    assert [re.sub(r"^\[[0-9-]{10} [0-9:]{8}\]", "[…]", line) for line in err.splitlines()] == [
        "LakeLogic Alert: 2 records quarantined in 'customers'. Total: 4",
        f"[…] INFO  | Wrote 2 quarantined rows to {place}_quarantine",
        f"[…] INFO  | Wrote 2 valid rows to {place}",
        "[…] INFO  | Run complete [layer=silver] | Total: 4 | Good: 2 | Quarantine: 2 | Ratio: 50.0%",
    ]
    lines = [re.split(r"\s{2,}", line.strip()) for line in out.splitlines()]
    assert ["cus_id", "email", "_lakelogic_categories", "_lakelogic_errors"] in lines
    assert ["C102", "***", '["correctness"]', "[\"Rule failed: email LIKE '%@%.%'\"]"] in lines
    assert ["C103", "null", '["completeness"]', '["Rule failed: email is required"]'] in lines
    assert any(line[0] == "C100" and re.fullmatch(r"enc:.{16}\.\.\.", line[1]) for line in lines)
    assert ["4", "2", "2", "0", "0", "50.0%", "50"] in lines
    assert not any("@" in word for line in lines for word in line if "LIKE" not in word)
    assert "\x1b" not in out + err


def test_a_second_run_says_why_it_did_nothing(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["run", str(home)]) == 0
    capsys.readouterr()
    assert main(["run", "-c", str(home), "--show", "5"]) == 0
    out, err = capsys.readouterr()
    assert out.splitlines()[0] == "✓ customers  nothing new: 0 of 1 files are new since the last run"
    assert err.rstrip().endswith("Nothing new for 'customers': 0 of 1 files are new since the last run")

    assert main(["explain", str(home)]) == 0
    assert "a run would find nothing new" in capsys.readouterr().out
    assert main(["runs", "--project", str(home.parent), "--json"]) == 0
    runs = json.loads(capsys.readouterr().out)["runs"]
    assert [run["status"] for run in runs] == ["no_new_data", "succeeded"]


def test_json_is_the_result_alone_and_hides_what_is_private(orders: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["run", str(orders), "--json", "--show", "3"]) == 1
    out, err = capsys.readouterr()
    told = json.loads(out)
    assert (told["format"], told["status"], told["exit_code"]) == (1, "succeeded", 1)
    assert told["counts"]["good"] == told["counts"]["quarantined"] == 1
    assert told["rows"]["good"] == [{"id": 1, "buyer": "***", "amount": 10.0}]
    assert told["rows"]["bad"][0]["buyer"] == "***"
    assert "Jane" not in out + err and "Jim" not in out + err


def test_a_failed_dataset_rule_ends_with_1_and_says_what_it_blocks(
    orders: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["run", str(orders)]) == 1
    out = capsys.readouterr().out
    assert out.startswith("✗ orders")
    assert "blocks what is downstream: dataset rules failed (row_count_between)" in out


def test_explain_tells_that_the_input_was_written_already(orders: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["run", str(orders), "--json"]) == 1
    run = json.loads(capsys.readouterr().out)["run_id"]
    assert main(["explain", str(orders), "--json"]) == 0
    told = json.loads(capsys.readouterr().out)["input"]
    assert (told["nothing_new"], told["resumes"], told["committed_by"]) == (False, None, run)
    assert main(["run", str(orders), "--dry-run"]) == 0
    assert f"a run would write nothing: run {run} has committed this input" in capsys.readouterr().out


def test_a_gate_is_told_in_two_lines_and_nothing_is_written(
    orders: Path, project: Project, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["run", str(orders), "--set", "quarantine.fail_on_quarantine=true"]) == 1
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("1 bad row, and the contract allows none.")
    assert len(err.splitlines()) <= 2
    assert project.versions("out") is None


def test_source_and_target_are_taken_from_the_working_directory(
    orders: Path, project: Project, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    project.file("here/b.csv", "id,buyer,amount\n7,Ann,1\n8,Bob,2\n")
    monkeypatch.chdir(project.root / "here")
    assert main(["run", str(orders), "-s", "b.csv", "--target", "elsewhere"]) == 0
    assert project.values("id", "here/elsewhere") == [7, 8]
    assert project.versions("out") is None
    assert "here/elsewhere" in capsys.readouterr().out


def test_verbose_lines_carry_function_and_tags(orders: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["run", str(orders), "-v"]) == 1
    line = next(line for line in capsys.readouterr().err.splitlines() if "Run complete" in line)
    assert re.search(r"\| lakelogic\.run\.tell\.tell \| contract=orders engine=spark run_id=\d{8}T\d{6}Z-\w+$", line)
