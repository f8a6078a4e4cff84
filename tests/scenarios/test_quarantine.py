"""Rows of quarantine: looked at, replayed, released and dropped, each of them once."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from lakelogic import Quarantine
from lakelogic.cli.main import main
from lakelogic.errors import ContractError, SecretMissing, UsageError
from lakelogic.quarantine.rows import Wanted
from tests.scenarios.child import Errand, run_and_die
from tests.scenarios.light import LightProject, light_project
from tests.scenarios.project import Project

_CONTRACT = """
    source: {path: in/*.csv, load_mode: incremental}
    model:
      fields:
        - {name: id, type: int, required: true}
        - {name: amount, type: double}
    primary_key: [id]
    quality: {row_rules: [{name: positive, sql: amount > 0}]}
    materialization: {strategy: append, target_path: out}
"""
_RELAXED = _CONTRACT.replace("amount > 0", "amount > -10")
_ROWS = "id,amount\n1,5\n2,-5\n3,-50\nx,1\n"


@pytest.fixture
def landed(tmp_path: Path) -> LightProject:
    """One good row and three bad ones."""
    project = light_project(tmp_path)
    project.file("in/1.csv", _ROWS)
    project.run(_CONTRACT)
    return project


def _quarantine(project: Project) -> Quarantine:
    spark = None if isinstance(project, LightProject) else project.spark
    engine = project.engine if isinstance(project, LightProject) else None
    return Quarantine(project.root / "contract.yaml", engine, spark=spark)


def _states(project: Project) -> dict[str, str]:
    return {str(row["id"]): row["quarantine_state"] for row in project.rows("out_quarantine")}


def test_rows_are_listed_with_reasons_and_origin(landed: LightProject) -> None:
    rows = {row.values["id"]: row for row in _quarantine(landed).rows()}
    assert set(rows) == {"2", "3", "x"}
    row = rows["2"]
    assert (row.state, row.rules, row.errors) == ("active", ("positive",), ("Rule failed: positive (amount > 0)",))
    assert row.file == str(landed.root / "in" / "1.csv")
    assert len({each.id for each in rows.values()}) == 3


def test_rows_are_found_by_rule_run_state_date_and_page(landed: LightProject) -> None:
    quarantine = _quarantine(landed)
    run = landed.log()[0]["run_id"]
    found = {
        "rule": Wanted(rule="id_type"),
        "run": Wanted(run=run),
        "another run": Wanted(run="none"),
        "state": Wanted(state="dropped"),
        "key": Wanted(key={"id": "3"}),
    }
    assert {name: len(quarantine.rows(wanted)) for name, wanted in found.items()} == {
        "rule": 1,
        "run": 3,
        "another run": 0,
        "state": 0,
        "key": 1,
    }
    moment = quarantine.rows()[0].quarantined_at
    assert (len(quarantine.rows(Wanted(since=moment))), len(quarantine.rows(Wanted(until=moment)))) == (3, 0)
    pages = [row.id for page in range(3) for row in quarantine.rows(limit=1, offset=page)]
    assert len(set(pages)) == 3
    assert quarantine.states() == {"active": 3, "replayed": 0, "released": 0, "dropped": 0, "superseded": 0}


def test_a_replay_moves_what_passes_today_and_leaves_the_rest_with_new_reasons(landed: LightProject) -> None:
    landed.contract(_RELAXED)
    resolved = _quarantine(landed).replay()
    assert resolved.run is not None
    counts = resolved.run.counts
    assert (resolved.asked, counts.source, counts.good, counts.quarantined) == (3, 3, 1, 2)
    assert landed.values("id") == [1, 2]
    assert _states(landed) == {"2": "replayed", "3": "active", "x": "active"}
    assert landed.bad()["3"] == ["Rule failed: positive (amount > -10)"]
    assert [(row["mode"], row["reason"], row["counts_good"]) for row in landed.log()][1] == ("replay", "replay", 1)
    assert landed.log()[1]["actor"]
    again = _quarantine(landed).replay()
    assert (again.asked, landed.values("id")) == (2, [1, 2])


def test_a_replay_under_the_same_contract_moves_nothing(landed: LightProject) -> None:
    resolved = _quarantine(landed).replay()
    assert resolved.run is not None
    assert (resolved.run.counts.good, resolved.run.counts.quarantined) == (0, 3)
    assert set(_states(landed).values()) == {"active"}
    assert landed.run().status == "no_new_data"


def test_a_released_row_goes_to_the_target_as_it_is(landed: LightProject) -> None:
    quarantine = _quarantine(landed)
    quarantine.release(Wanted(rule="positive"), reason="the refunds are right")
    assert [(row["id"], row["amount"]) for row in landed.rows()] == [(1, 5.0), (2, -5.0), (3, -50.0)]
    assert _states(landed) == {"2": "released", "3": "released", "x": "active"}
    assert landed.log()[1]["reason"] == "the refunds are right"
    # What can't be an int is released as NULL.
    quarantine.release(reason="whatever")
    assert None in landed.values("id")


def test_a_dropped_row_is_marked_and_nothing_else_happens(landed: LightProject) -> None:
    resolved = _quarantine(landed).drop(Wanted(key={"id": "x"}), reason="a header line")
    assert resolved.run is not None
    assert _states(landed) == {"2": "active", "3": "active", "x": "dropped"}
    assert landed.values("id") == [1]
    assert [(row["mode"], row["reason"]) for row in landed.log()][1] == ("drop", "a header line")
    assert _quarantine(landed).drop(Wanted(key={"id": "x"}), reason="again").run is None


def test_an_overwritten_target_keeps_its_rows_when_others_are_replayed(landed: LightProject) -> None:
    landed.file("in/2.csv", "id,amount\n7,7\n8,-5\n")
    landed.run(_CONTRACT.replace("append", "overwrite"))
    landed.contract(_RELAXED.replace("append", "overwrite"))
    _quarantine(landed).replay(Wanted(key={"id": "8"}))
    assert landed.values("id") == [7, 8]


def test_a_contract_that_makes_several_rows_of_one_cant_replay(landed: LightProject) -> None:
    exploding = "    transformations: [{explode: {field: tags}, phase: pre}]\n"
    landed.contract(_CONTRACT.replace("    primary_key", exploding + "    primary_key"))
    with pytest.raises(ContractError):
        _quarantine(landed).replay()
    assert set(_states(landed).values()) == {"active"}


@pytest.mark.parametrize("how", ["replay", "release"])
def test_what_cant_run_once_more_is_refused_before_spark_starts(
    landed: LightProject, how: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    deduplicating = "{deduplicate: {on: id, sort_by: amount, dropped: quarantine}, phase: pre}"
    path = landed.contract(
        _CONTRACT.replace("    primary_key", f"    transformations: [{deduplicating}]\n    primary_key")
    )
    monkeypatch.setenv("LAKELOGIC_ENGINE", "spark")
    monkeypatch.setattr("lakelogic.run.runner.open_engine", lambda *_: pytest.fail("the engine was started"))
    with pytest.raises(ContractError, match="makes other rows of them"):
        getattr(Quarantine(path), how)(reason="right")


def test_rows_of_a_run_that_has_not_ended_are_not_shown(landed: LightProject) -> None:
    landed.file("in/2.csv", "id,amount\n9,-9\n")
    run_and_die(Errand(str(landed.root / "contract.yaml"), landed.engine, "quarantined"))
    assert landed.values("id", "out_quarantine") == ["2", "3", "9", "x"]
    assert {row.values["id"] for row in _quarantine(landed).rows()} == {"2", "3", "x"}
    landed.run()
    assert len(_quarantine(landed).rows()) == 4


@pytest.mark.parametrize("point", ["claimed", "quarantined", "published", "logged"])
def test_a_killed_replay_is_finished_once(tmp_path: Path, point: str) -> None:
    project = light_project(tmp_path)
    project.file("in/1.csv", _ROWS)
    project.run(_CONTRACT)
    project.contract(_RELAXED)
    run_and_die(Errand(str(tmp_path / "contract.yaml"), "duckdb", point, "replay"))
    resolved = _quarantine(project).replay()
    assert resolved.run is not None
    assert project.values("id") == [1, 2]
    assert _states(project) == {"2": "replayed", "3": "active", "x": "active"}
    assert next(row["counts_good"] for row in project.log() if row["mode"] == "replay") == 1


def test_a_replay_that_was_cut_off_is_undone_when_the_contract_changes(tmp_path: Path) -> None:
    project = light_project(tmp_path)
    project.file("in/1.csv", _ROWS)
    project.run(_CONTRACT)
    project.contract(_RELAXED)
    run_and_die(Errand(str(tmp_path / "contract.yaml"), "duckdb", "quarantined", "replay"))
    assert _states(project)["2"] == "replayed"
    project.run(_CONTRACT)
    assert (set(_states(project).values()), project.values("id")) == ({"active"}, [1])


@pytest.mark.parametrize("point", ["claimed", "quarantined"])
def test_a_drop_that_was_cut_off_is_undone_or_never_was(tmp_path: Path, point: str) -> None:
    project = light_project(tmp_path)
    project.file("in/1.csv", _ROWS)
    project.run(_CONTRACT)
    run_and_die(Errand(str(tmp_path / "contract.yaml"), "duckdb", point, "drop"))
    project.run()
    assert set(_states(project).values()) == {"active"}


_PERSONAL = """
    source: {path: in/*.csv}
    model:
      fields:
        - {name: id, type: int, required: true}
        - {name: email, type: string, pii: true, masking: hash}
        - {name: phone, type: string, pii: true}
    primary_key: [email]
    quality: {row_rules: [{name: has_phone, sql: length(phone) > 3}]}
    materialization: {strategy: append, target_path: out}
"""


def test_private_values_are_hidden_and_revealed_with_the_key_only(
    tmp_path: Path, key: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    project = light_project(tmp_path)
    project.file("in/1.csv", "id,email,phone\n1,a@x.com,12\n")
    project.run(_PERSONAL)
    quarantine = _quarantine(project)
    row = quarantine.rows()[0]
    assert (row.values["phone"], row.original) == ("***", None)
    assert "a@x.com" not in str(row)
    assert quarantine.rows(reveal=True)[0].original == {"id": "1", "email": "a@x.com", "phone": "12"}
    assert [each.id for each in quarantine.why(["a@x.com"])] == [row.id]
    resolved = _quarantine_after(project, _PERSONAL.replace("> 3", "> 1")).replay()
    assert resolved.run is not None and resolved.run.counts.good == 1
    monkeypatch.delenv("LAKELOGIC_PII_KEY")
    with pytest.raises(SecretMissing):
        quarantine.rows(reveal=True)


def _quarantine_after(project: Project, text: str) -> Quarantine:
    project.contract(text)
    return _quarantine(project)


def test_why_tells_of_a_key_in_all_its_runs(landed: LightProject) -> None:
    landed.file("in/2.csv", "id,amount\n2,-1\n")
    landed.run()
    found = _quarantine(landed).why(["2"])
    assert [(row.values["amount"], Path(row.file or "").name) for row in found] == [("-5", "1.csv"), ("-1", "2.csv")]
    assert len({row.run_id for row in found}) == 2
    assert _quarantine(landed).why([found[0].id[:10]]) == found[:1]
    with pytest.raises(UsageError, match="1 parts: id"):
        _quarantine(landed).why(["2", "3"])


def test_replay_on_spark_moves_rows_once(project: Project) -> None:
    project.file("in/1.csv", _ROWS)
    project.run(_CONTRACT)
    project.contract(_RELAXED)
    resolved = _quarantine(project).replay()
    assert resolved.run is not None
    assert (resolved.run.counts.good, resolved.run.counts.quarantined) == (1, 2)
    assert (project.values("id"), _states(project)) == ([1, 2], {"2": "replayed", "3": "active", "x": "active"})
    _quarantine(project).drop(Wanted(key={"id": "x"}), reason="a header line")
    assert _states(project) == {"2": "replayed", "3": "active", "x": "dropped"}
    light = Quarantine(project.root / "contract.yaml")
    assert light.states() == {"active": 1, "replayed": 1, "released": 0, "dropped": 1, "superseded": 0}


def _told(capsys: pytest.CaptureFixture[str], *arguments: str) -> Mapping[str, Any]:
    assert main(["quarantine", *arguments, "--json"]) == 0
    return dict(json.loads(capsys.readouterr().out))


def test_the_command_line_lists_explains_and_resolves(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    project = light_project(tmp_path)
    project.file("in/1.csv", _ROWS)
    project.run(_CONTRACT)
    contract = str(project.contract(_RELAXED))
    listed = _told(capsys, "list", contract, "--rule", "positive")
    assert (len(listed["rows"]), listed["states"]["active"]) == (2, 3)
    first = listed["rows"][0]["id"]
    assert _told(capsys, "show", contract, first[:12], "--reveal")["rows"][0]["original"]["amount"].startswith("-5")
    assert [row["rules"] for row in _told(capsys, "why", contract, "3")["rows"]] == [["positive"]]
    assert _told(capsys, "replay", contract, "--rule", "positive", "--engine", "duckdb")["replayed"] == 1
    assert _told(capsys, "drop", contract, "--reason", "no use", "--yes", "--engine", "duckdb")["dropped"] == 2
    assert main(["quarantine", "list", contract, "--state", "all"]) == 0
    assert "1 replayed · 2 dropped" in capsys.readouterr().out
    assert main(["quarantine", "why", contract, "2"]) == 0
    assert "Rule failed: positive" in capsys.readouterr().out


@pytest.mark.parametrize("command", ["release", "drop"])
def test_a_decision_needs_a_reason_and_a_yes(tmp_path: Path, capsys: pytest.CaptureFixture[str], command: str) -> None:
    project = light_project(tmp_path)
    project.file("in/1.csv", _ROWS)
    project.run(_CONTRACT)
    contract = str(tmp_path / "contract.yaml")
    assert main(["quarantine", command, contract]) == 2
    assert "a reason is needed" in capsys.readouterr().err
    assert main(["quarantine", command, contract, "--reason", "so"]) == 2
    assert "Pass --yes" in capsys.readouterr().err
    assert set(_states(project).values()) == {"active"}
