"""A slice of the target is made anew from what was read before, and nothing else changes."""

from __future__ import annotations

import json
from pathlib import Path

import pyarrow as pa
import pytest
from deltalake import write_deltalake

from lakelogic import load_contract
from lakelogic.cli.main import main
from lakelogic.errors import ContractError, GateClosed, UsageError
from lakelogic.plan.explain import explained
from lakelogic.quarantine.lifecycle import Quarantine
from lakelogic.run.reprocess import asked_slice
from lakelogic.run.result import RunResult
from tests.scenarios.light import light_project
from tests.scenarios.project import Project

_CONTRACT = """
    source: {{path: in/*.csv, load_mode: incremental}}
    model:
      fields:
        - {{name: id, type: int, required: true}}
        - {{name: day, type: date}}
        - {{name: country, type: string}}
    transformations: [{{derive: {{field: price, sql: "{price}"}}}}]
    primary_key: [id]
    materialization: {{strategy: {strategy}, target_path: out, reprocess_date_column: day{more}}}
"""
_JANUARY = {"reprocess_from": "2026-01-01", "reprocess_to": "2026-01-31"}


@pytest.fixture
def project(tmp_path: Path) -> Project:
    """An empty folder for runs without Spark; those on Spark are in a file of their own."""
    return light_project(tmp_path)


def _contract(strategy: str = "append", price: str = "1", more: str = "") -> str:
    return _CONTRACT.format(strategy=strategy, price=price, more=f", {more}" if more else "")


@pytest.fixture
def landed(project: Project) -> Project:
    """Four rows of two months were read by two runs."""
    project.file("in/1.csv", "id,day,country\n1,2026-01-31,DE\n2,2026-02-01,DE\n")
    project.run(_contract())
    project.file("in/2.csv", "id,day,country\n3,2026-01-01,FR\n4,2025-12-31,FR\n")
    project.run()
    return project


def _again(project: Project, text: str, **asked: object) -> RunResult:
    project.contract(text)
    return project.processor().run_source(**asked)  # type: ignore[arg-type]


def _prices(project: Project) -> dict[int, int]:
    return {row["id"]: row["price"] for row in project.rows()}


def test_days_are_processed_again_and_the_others_stay(landed: Project) -> None:
    for _ in range(2):
        result = _again(landed, _contract(price="2"), **_JANUARY)
        assert (result.status, result.counts.source, result.counts.good) == ("succeeded", 2, 2)
        assert result.reason == "day from 2026-01-01 to 2026-01-31 is processed again"
        assert _prices(landed) == {1: 2, 2: 1, 3: 2, 4: 1}
    assert landed.run().status == "no_new_data"


def test_values_are_processed_again(landed: Project) -> None:
    result = _again(landed, _contract(price="2"), reprocess_column="country", reprocess_values=["FR"])
    assert result.reason == "country in FR is processed again"
    assert _prices(landed) == {1: 1, 2: 1, 3: 2, 4: 2}


def test_what_is_new_is_left_to_the_next_run(landed: Project) -> None:
    landed.file("in/3.csv", "id,day,country\n5,2026-01-15,DE\n")
    _again(landed, _contract(price="2"), **_JANUARY)
    assert sorted(_prices(landed)) == [1, 2, 3, 4]
    assert landed.run().counts.source == 1
    assert sorted(_prices(landed)) == [1, 2, 3, 4, 5]


def test_rows_that_are_merged_find_themselves_by_their_keys(landed: Project) -> None:
    result = _again(landed, _contract("merge", price="2"), **_JANUARY)
    assert result.target is not None
    assert (result.target.updated, _prices(landed)) == (2, {1: 2, 2: 1, 3: 2, 4: 1})


def test_the_policy_says_what_becomes_of_the_slice(landed: Project) -> None:
    _again(landed, _contract(price="2", more="reprocess_policy: append"), **_JANUARY)
    assert [row["id"] for row in landed.rows()].count(1) == 2
    with pytest.raises(ContractError, match="reprocess_policy is fail"):
        _again(landed, _contract(more="reprocess_policy: fail"), **_JANUARY)


def test_files_that_are_gone_are_said_or_stop_a_safe_run(landed: Project) -> None:
    (landed.root / "in/2.csv").unlink()
    with pytest.raises(GateClosed, match="1 files that were read before are gone"):
        _again(landed, _contract(more="reprocess_policy: overwrite_partition_safe"), **_JANUARY)
    assert sorted(_prices(landed)) == [1, 2, 3, 4]
    result = _again(landed, _contract(price="2"), **_JANUARY)
    assert result.reason.endswith("; 1 files that were read before are gone or have changed")
    assert sorted(_prices(landed)) == [1, 2, 4]


def test_what_makes_no_sense_is_refused(landed: Project) -> None:
    with pytest.raises(UsageError, match="2026-02-01 is after 2026-01-01"):
        _again(landed, _contract(), reprocess_from="2026-02-01", reprocess_to="2026-01-01")
    with pytest.raises(UsageError, match="can't both"):
        _again(landed, _contract(), reprocess_from="2026-02-01", reprocess_column="day", reprocess_values=["x"])
    with pytest.raises(UsageError, match="by which column"):
        _again(landed, _contract(), reprocess_values=["x"])
    with pytest.raises(UsageError, match="needs values or days"):
        _again(landed, _contract(), reprocess_column="day")
    assert landed.versions() == 2


def test_partition_folders_are_processed_again(project: Project) -> None:
    text = _contract().replace("in/*.csv", "in, format: csv")
    project.file("in/day=2026-01-01/a.csv", "id,country\n1,DE\n")
    project.file("in/day=2026-01-02/a.csv", "id,country\n2,DE\n")
    project.run(text)
    result = _again(project, text.replace('sql: "1"', 'sql: "2"'), reprocess_from="2026-01-02")
    assert (result.counts.source, _prices(project)) == (1, {1: 1, 2: 2})


def test_secondary_targets_are_made_anew_alike(project: Project) -> None:
    more = "secondary_targets: [{target_path: copy}, {target_path: last, strategy: overwrite}]"
    project.file("in/1.csv", "id,day,country\n1,2026-01-31,DE\n2,2026-02-01,DE\n")
    project.run(_contract(more=more))
    _again(project, _contract(price="2", more=more), **_JANUARY)
    for table in ("out", "copy", "last"):
        assert {row["id"]: row["price"] for row in project.rows(table)} == {1: 2, 2: 1}


def test_the_plan_shows_which_rows_give_way(landed: Project) -> None:
    part = asked_slice(load_contract(landed.contract(_contract(price="2"))), first="2026-01-01", last="2026-01-31")
    preview = landed.processor().preview(part=part)
    (good,) = [write for write in explained(preview.plan).writes if write.role == "good"]
    assert good.how == (
        "append, in place of rows where `day` >= CAST('2026-01-01' AS DATE) AND `day` < CAST('2026-02-01' AS DATE)"
    )


def test_days_that_are_no_longer_looked_at_are_processed_again(project: Project) -> None:
    dated = "in, format: csv, partition: {{format: '%Y-%m-%d', start_date: {}}}"
    text = _contract().replace("in/*.csv", dated.format("2026-01-01"))
    project.file("in/2026-01-01/a.csv", "id,day,country\n1,2026-01-01,DE\n")
    project.file("in/2026-02-01/a.csv", "id,day,country\n2,2026-02-01,DE\n")
    project.run(text)
    later = _contract(price="2").replace("in/*.csv", dated.format("2026-02-01"))
    assert _again(project, later, **_JANUARY).counts.source == 1
    assert _prices(project) == {1: 2, 2: 1}


def test_nothing_is_processed_again_that_was_never_read(project: Project) -> None:
    write_deltalake(str(project.root / "src"), pa.table({"id": [1], "day": ["2026-01-01"]}))
    text = _contract().replace("path: in/*.csv", "path: src, type: delta")
    with pytest.raises(UsageError, match="was read yet"):
        _again(project, text, **_JANUARY)
    project.run(text)
    write_deltalake(str(project.root / "src"), pa.table({"id": [2], "day": ["2026-01-02"]}), mode="append")
    assert _again(project, text, **_JANUARY).counts.source == 1
    assert project.run().counts.source == 1
    assert project.values("id") == [1, 2]


def test_the_command_line_asks_for_days_or_values(landed: Project, capsys: pytest.CaptureFixture[str]) -> None:
    run = ["run", str(landed.contract(_contract(price="2"))), "--engine", "duckdb", "--json"]
    assert main([*run, "--reprocess-column", "country", "--reprocess-values", "DE, AT"]) == 0
    assert json.loads(capsys.readouterr().out)["reason"] == "country in AT, DE is processed again"
    assert _prices(landed) == {1: 2, 2: 2, 3: 1, 4: 1}
    assert main([*run, "--reprocess-start-date", "2026-01-01", "--reprocess-end-date", "January"]) == 2
    assert "must be a date such as 2026-02-01, not 'January'" in capsys.readouterr().out


_JUDGED = """
    source: {{path: in/*.csv, load_mode: {mode}}}
    model:
      fields:
        - {{name: id, type: int, required: true}}
        - {{name: day, type: date}}
        - {{name: amount, type: int}}
    quality: {{row_rules: [{{name: enough, sql: "amount > {least}"}}]}}
    materialization: {{strategy: append, target_path: out, reprocess_date_column: day}}
"""


def test_bad_rows_that_were_judged_again_are_superseded_and_cant_be_replayed(project: Project) -> None:
    project.file("in/1.csv", "id,day,amount\n1,2026-01-05,5\n2,2026-02-05,5\n3,2026-01-06,0\n")
    project.run(_JUDGED.format(mode="incremental", least=9))
    _again(project, _JUDGED.format(mode="incremental", least=1), **_JANUARY)
    assert [row["id"] for row in project.rows()] == [1]
    quarantine = Quarantine(project.root / "contract.yaml", "duckdb")
    # Of January's two, one is in the target and one was quarantined anew; February's was not looked at.
    assert quarantine.states() == {"active": 2, "superseded": 2, "replayed": 0, "released": 0, "dropped": 0}
    assert quarantine.replay().asked == 2
    assert sorted(row["id"] for row in project.rows()) == [1, 2]
    assert quarantine.replay().asked == 1


def test_of_several_files_only_the_bad_rows_of_those_that_were_read_again_are_superseded(project: Project) -> None:
    project.file("in/1.csv", "id,day,amount\n1,2026-01-05,5\n")
    project.file("in/2.csv", "id,day,amount\n2,2026-01-05,5\n")
    project.run(_JUDGED.format(mode="full", least=9))
    project.file("in/1.csv", "id,day,amount\n1,2026-01-05,55\n")
    project.run()
    rows = Quarantine(project.root / "contract.yaml", "duckdb").rows()
    states = sorted((row.values["id"], row.state) for row in rows)
    assert states == [("1", "active"), ("2", "active"), ("2", "superseded")]


def test_bad_rows_of_a_source_that_is_read_as_a_whole_again_are_superseded(project: Project) -> None:
    project.file("in/1.csv", "id,day,amount\n1,2026-01-05,5\n")
    for _ in range(2):
        project.run(_JUDGED.format(mode="full", least=9), force=True)
    quarantine = Quarantine(project.root / "contract.yaml", "duckdb")
    assert (quarantine.states()["active"], quarantine.states()["superseded"]) == (1, 1)
    project.file("in/1.csv", "id,day,amount\n1,2026-01-05,55\n")
    project.run(_JUDGED.format(mode="full", least=9))
    # The file was replaced: what it held before was not read again.
    assert quarantine.states()["active"] == 1
