"""What the doctor finds, and how it ends."""

from __future__ import annotations

import json
import secrets
from pathlib import Path

import pytest

from lakelogic.cli.main import main


def checks(capsys: pytest.CaptureFixture[str]) -> dict[str, dict[str, str]]:
    told = json.loads(capsys.readouterr().out)
    assert told["format"] == 1
    return {check["name"]: check for check in told["checks"]}


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("LAKELOGIC_STATE", raising=False)
    monkeypatch.delenv("LAKELOGIC_PII_KEY", raising=False)


def test_a_machine_with_all_that_is_needed_is_healthy(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["doctor", "--json"]) == 0
    found = checks(capsys)
    needed = ("Python", "lakelogic", "Java", "pyspark", "deltalake", "State")
    assert {name: found[name]["state"] for name in needed} == dict.fromkeys(needed, "ok")
    assert found["pyspark"]["value"] == "4.1.3"
    assert found["State"]["value"] == str(tmp_path / ".lakelogic")
    assert not (tmp_path / ".lakelogic").exists()


def test_a_missing_java_ends_with_2_and_its_cure(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("JAVA_HOME", "/nowhere")
    assert main(["doctor"]) == 2
    shown = " ".join(capsys.readouterr().out.split())
    assert "✗ Java Spark needs Java 17 or 21; JAVA_HOME is /nowhere" in shown
    assert "Install it: " in shown


def test_jars_that_are_not_there_yet_are_a_note(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("LAKELOGIC_CACHE", str(tmp_path / "cache"))
    assert main(["doctor", "--json"]) == 0
    assert checks(capsys)["Delta jars"]["state"] == "note"


def test_jars_that_can_not_be_fetched_end_with_2(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "cache").write_text("no folder")
    monkeypatch.setenv("LAKELOGIC_CACHE", str(tmp_path / "cache"))
    assert main(["doctor", "--fetch", "--json"]) == 2
    assert checks(capsys)["Delta jars"]["state"] == "missing"


def test_a_key_is_judged_and_never_shown(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    key = secrets.token_hex(32)
    monkeypatch.setenv("LAKELOGIC_PII_KEY", key)
    assert main(["doctor"]) == 0
    shown = capsys.readouterr().out
    assert "LAKELOGIC_PII_KEY  set" in shown
    assert key not in shown


def test_a_weak_key_ends_with_2_and_is_not_shown(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("LAKELOGIC_PII_KEY", "swordfish")
    assert main(["doctor"]) == 2
    assert "swordfish" not in capsys.readouterr().out


def test_a_state_folder_that_can_not_be_made_ends_with_2(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "taken").write_text("a file")
    monkeypatch.setenv("LAKELOGIC_STATE", str(tmp_path / "taken" / "state"))
    assert main(["doctor", "--json"]) == 2
    assert checks(capsys)["State"]["state"] == "missing"


def test_the_address_of_a_connect_server_is_not_shown(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("SPARK_REMOTE", "sc://host/;token=swordfish")
    assert main(["doctor"]) == 0
    shown = capsys.readouterr().out
    assert "SPARK_REMOTE" in shown
    assert "swordfish" not in shown
