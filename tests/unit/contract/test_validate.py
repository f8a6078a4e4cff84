"""`lakelogic validate` judges files and folders, says what it skipped, and answers with its exit code."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import typer

from lakelogic.cli.validate import command
from lakelogic.errors import UsageError


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    contracts = tmp_path / "contracts"
    (contracts / "sub").mkdir(parents=True)
    (contracts / ".hidden").mkdir()
    (contracts / "good.yaml").write_text("source: {path: a.csv}\nmodel: {fields: [{name: email, pii: true}]}\n")
    (contracts / "sub" / "later.yml").write_text("source: {path: a.csv}\nlayer: gold\nstages: {x: {}}\n")
    (contracts / "_registry.yaml").write_text("entries: []\n")
    (contracts / ".hidden" / "bad.yaml").write_text("source: 5\n")
    (contracts / "notes.txt").write_text("source: 5\n")
    return contracts


def code(paths: list[Path], *, as_json: bool = False) -> int:
    try:
        command(paths, as_json=as_json)
    except typer.Exit as stop:
        return stop.exit_code
    return 0


def test_valid_contracts_give_notes_a_summary_and_exit_code_0(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert code([Path("contracts")]) == 0
    assert capsys.readouterr().out.splitlines() == [
        "contracts/good.yaml:2:18: note: pii without masking: email is stored as it is.",
        "contracts/sub/later.yml:3:1: note: not supported yet: stages",
        "contracts/_registry.yaml: skipped: not a contract.",
        "2 contracts: 2 valid.",
    ]


def test_every_problem_of_every_file_has_a_line_and_exit_code_2(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "bad.yaml").write_text("source: {pth: a}\nmodel: {fields: [{nam: b}]}\n")
    (folder / "broken.yaml").write_text("source: [\n")
    assert code([Path("contracts")]) == 2
    out = capsys.readouterr().out.splitlines()
    assert "contracts/bad.yaml:1:10: key 'pth' is unknown. Did you mean 'path'?" in out
    assert "contracts/bad.yaml:2:19: key 'nam' is unknown. Did you mean 'name'?" in out
    assert any(line.startswith("contracts/broken.yaml:2:1: not YAML") for line in out)
    assert out[-1] == "4 contracts: 2 valid, 2 invalid with 3 problems."


def test_a_file_named_twice_is_judged_once(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert code([Path("contracts"), Path("contracts/good.yaml"), Path("contracts/good.yaml")]) == 0
    assert capsys.readouterr().out.splitlines()[-1] == "2 contracts: 2 valid."


def test_a_file_named_outright_is_judged_whatever_it_looks_like(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert code([folder / "_registry.yaml"]) == 2
    assert "the file lists contracts and is none itself." in capsys.readouterr().out


def test_a_folder_without_contracts_is_no_success(folder: Path) -> None:
    empty = folder / "empty"
    empty.mkdir()
    with pytest.raises(UsageError, match="holds no contract"):
        command([empty])
    with pytest.raises(UsageError, match="does not exist"):
        command([folder / "no.yaml"])


def test_json_tells_the_same(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "bad.yaml").write_text("source: {pth: a}\n")
    assert code([Path("contracts")], as_json=True) == 2
    report = json.loads(capsys.readouterr().out)
    assert (report["format"], report["valid"], report["skipped"]) == (1, False, ["contracts/_registry.yaml"])
    bad, good, later = report["contracts"]
    assert bad["problems"] == [
        {
            "file": "contracts/bad.yaml",
            "line": 1,
            "column": 10,
            "code": "contract",
            "message": "key 'pth' is unknown.",
            "cure": "Did you mean 'path'?",
        }
    ]
    assert (good["name"], good["valid"], good["notes"][0]["line"]) == ("good", True, 2)
    assert (later["layer"], later["not_supported_yet"][0]["message"]) == ("gold", "not supported yet: stages")
