"""A proof tells what a run read and wrote, and shows when that is no longer so."""

from __future__ import annotations

import hashlib
import json
import re
from pathlib import Path
from typing import Any

import pytest

from lakelogic.cli.main import main
from tests.scenarios.light import LightProject, light_project

_CONTRACT = """
    source: {{path: in/*.csv, load_mode: incremental}}
    model: {{fields: [{{name: id, type: int, required: true}}, {{name: name, type: string}}]}}
    primary_key: [id]
    materialization: {{strategy: {strategy}, target_path: out}}
"""


@pytest.fixture
def strategy() -> str:
    return "append"


@pytest.fixture
def landed(strategy: str, tmp_path: Path) -> LightProject:
    """Two runs: the second adds a row, changes one and quarantines one."""
    project = light_project(tmp_path)
    project.file("in/1.csv", "id,name\n1,a\n2,b\n")
    project.run(_CONTRACT.format(strategy=strategy))
    project.file("in/2.csv", "id,name\n2,B\n3,c\nx,bad\n")
    project.run()
    return project


def _prove(project: LightProject, capsys: pytest.CaptureFixture[str]) -> dict[str, Any]:
    run_id = project.log()[-1]["run_id"]
    assert main(["prove", run_id, "--project", str(project.root)]) == 0
    return dict(json.loads(capsys.readouterr().out))


def _verify(project: LightProject, document: dict[str, Any], *options: str) -> int:
    file = project.file("proof.json", json.dumps(document))
    return main(["prove", "--verify", str(file), "--project", str(project.root), *options])


@pytest.mark.parametrize("strategy", ["append", "overwrite", "merge"])
def test_a_proof_tells_input_counts_and_rows_in_storage(
    landed: LightProject, capsys: pytest.CaptureFixture[str]
) -> None:
    document = _prove(landed, capsys)
    proof = document["proof"]
    content = (landed.root / "in" / "2.csv").read_bytes()
    [file] = proof["input"]["files"]
    assert (file["sha256"], file["size"]) == (hashlib.sha256(content).hexdigest(), len(content))
    assert (proof["counts"]["source"], proof["identity"]["holds"]) == (3, True)
    assert proof["tables"]["quarantine"]["counted"] == {"before": 0, "rows": 1}
    assert proof["tables"]["target"]["counted"]["rows"] == len(landed.rows())
    assert document["signature"] is None
    assert _verify(landed, document) == 0
    assert "target: counted again" in capsys.readouterr().out


def test_a_signed_proof_shows_every_change(
    landed: LightProject, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert main(["prove", "--new-key"]) == 0
    told = re.fullmatch(r"export LAKELOGIC_SIGNING_KEY=(\S+)\n# public key: (\S+)\n", capsys.readouterr().out)
    assert told is not None
    key, public = told.groups()
    monkeypatch.setenv("LAKELOGIC_SIGNING_KEY", key)
    document = _prove(landed, capsys)
    assert document["signature"]["public_key"] == public
    assert _verify(landed, document) == 0
    assert "signature" in capsys.readouterr().out
    changed = json.loads(json.dumps(document))
    changed["proof"]["counts"]["source"] += 1
    assert _verify(landed, changed) == 1
    monkeypatch.delenv("LAKELOGIC_SIGNING_KEY")
    assert _verify(landed, document, "--public-key", public) == 0
    assert _verify(landed, document, "--public-key", "00" * 32) == 1
    assert _verify(landed, {**document, "signature": None}, "--public-key", public) == 1


def test_a_file_with_other_content_and_rows_that_are_gone_are_seen(
    landed: LightProject, capsys: pytest.CaptureFixture[str]
) -> None:
    document = _prove(landed, capsys)
    document["proof"]["input"]["files"][0]["sha256"] = "0" * 64
    assert _verify(landed, document) == 1
    assert "input files" in capsys.readouterr().out
    document = _prove(landed, capsys)
    document["proof"]["tables"]["target"]["counted"]["rows"] += 1
    assert _verify(landed, document) == 1


def test_what_can_no_longer_be_told_is_unknown_and_no_failure(
    landed: LightProject, capsys: pytest.CaptureFixture[str]
) -> None:
    document = _prove(landed, capsys)
    (landed.root / "in" / "2.csv").unlink()
    assert _verify(landed, document) == 0
    assert "unknown  0 of 1" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        ((), "one of RUN_ID, --verify and --new-key is needed"),
        (("no-such-run",), "no run no-such-run is in the log"),
        (("--verify", "missing.json"), "can't be read"),
    ],
)
def test_a_wrong_call_is_told(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], arguments: tuple[str, ...], told: str
) -> None:
    assert main(["prove", *arguments, "--project", str(tmp_path)]) == 2
    assert told in capsys.readouterr().err


def test_a_signing_key_that_is_none_is_refused(
    landed: LightProject, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LAKELOGIC_SIGNING_KEY", "short")
    assert main(["prove", landed.log()[-1]["run_id"], "--project", str(landed.root)]) == 2
    assert "--new-key" in capsys.readouterr().err
