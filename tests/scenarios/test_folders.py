"""Which files of a folder are data, and names that are hard to handle."""

from __future__ import annotations

from pathlib import Path

import pytest

from lakelogic.errors import ContractError, ContractInvalid, SourceError, StateError
from tests.scenarios.project import Project


def _source(path: str, more: str = "") -> str:
    return f"source: {{path: '{path}'{more}}}\nmaterialization: {{target_path: out}}\n"


def test_markers_checksums_and_hidden_files_are_not_data(project: Project) -> None:
    project.file("in/1.csv", "id\n1\n")
    project.file("in/deep/2.csv", "id\n2\n")
    for name in ("_SUCCESS", ".1.csv.crc", ".hidden.csv", "_temporary/0/3.csv", "deep/_committed_1"):
        project.file(f"in/{name}", "not data")
    assert [row["id"] for row in project.read(_source("in", ", format: csv"))] == ["1", "2"]
    assert [row["id"] for row in project.read(_source("in", ", pattern: '2*.csv'"))] == ["2"]


def test_one_file_by_name_is_read_unless_it_is_hidden(project: Project) -> None:
    project.file(".deep/_er/1.csv", "id\n1\n")
    assert project.read(_source(".deep/_er/1.csv")) == [{"id": "1"}]
    project.file("in/_export.csv", "id\n1\n")
    with pytest.raises(SourceError, match=r"_export.csv begins with '_'"):
        project.read(_source("in/_export.csv"))


def test_partition_folders_become_columns_of_text(project: Project) -> None:
    project.file("in/day=2026-01-01/code=007/a.csv", "id\n1\n")
    project.file("in/day=2026-01-02/code=b%20c/b.csv", "id\n2\n")
    assert project.read(_source("in", ", format: csv")) == [
        {"id": "1", "day": "2026-01-01", "code": "007"},
        {"id": "2", "day": "2026-01-02", "code": "b c"},
    ]
    glob = project.read(_source("in/day=2026-01-01/*/*.csv"))
    assert glob == [{"id": "1", "code": "007"}]


def test_partitions_that_only_some_files_have_are_told(project: Project) -> None:
    project.file("in/day=1/a.csv", "id\n1\n")
    project.file("in/b.csv", "id\n2\n")
    with pytest.raises(SourceError, match=r"day=1/a.csv is not in the same partition folders as .*b.csv"):
        project.read(_source("in", ", format: csv"))
    (project.root / "in" / "b.csv").unlink()
    project.file("in/day=2/a.csv", "id,day\n2,2\n")
    with pytest.raises(SourceError, match="'day' is a column of the files"):
        project.read(_source("in", ", format: csv"))


@pytest.mark.parametrize(
    "name", ["a b.csv", "ünï.csv", "it's.csv", "100%.csv", "x[1].csv", "a{b}.csv", "q?.csv", "a#b.csv"]
)
def test_a_file_with_an_odd_name_is_read_once(project: Project, name: str) -> None:
    project.file(f"in/{name}", "id\n1\n")
    project.file("in/x1.csv", "id\n2\n")
    assert [row["id"] for row in project.read(_source("in/*.csv"))] == ["1", "2"]


def test_a_file_that_spark_cant_name_is_refused(project: Project) -> None:
    project.file("in/10:30.csv", "id\n1\n")
    with pytest.raises(SourceError, match=r"10:30.csv has a ':'"):
        project.read(_source("in/*.csv"))


def test_the_file_of_a_row_is_told_as_people_write_it(project: Project) -> None:
    project.file("in/a b+c%20ü.csv", "id\nx\n")
    project.run(_source("in/*.csv") + "model: {fields: [{name: id, type: int}]}\n")
    assert project.values("_lakelogic_source_file", "out_quarantine") == [f"{project.root}/in/a b+c%20ü.csv"]


def test_a_state_folder_that_cant_hold_the_log_is_refused_before_anything_is_read(project: Project) -> None:
    odd = Project(project.root / "[1]", project.spark)
    odd.file("in/1.csv", "id\n1\n")
    with pytest.raises(StateError, match=r"\[1\]") as caught:
        odd.run(_source("in/*.csv"))
    assert caught.value.cure is not None and "LAKELOGIC_STATE" in caught.value.cure
    assert odd.versions() is None


def test_a_folder_with_an_odd_name_holds_a_whole_project(
    project: Project, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("LAKELOGIC_STATE", str(tmp_path / "state"))
    odd = Project(project.root / "it's a [näme] #1 `50%` ?", project.spark)
    odd.file("in/1.csv", "id,name\n1,a\nx,b\n")
    model = "model: {fields: [{name: id, type: int}]}\nprimary_key: [id]\n"
    text = "source: {path: in, format: csv, load_mode: incremental}\n" + model
    odd.run(text + "materialization: {strategy: merge, target_path: out}\n")
    odd.file("in/2.csv", "id,name\n1,b\n")
    assert odd.run().counts.good == 1
    assert odd.run().status == "no_new_data"
    written = [odd.spark.read.format("delta").load(str(odd.root / name)) for name in ("out", "out_quarantine")]
    assert [row["name"] for row in written[0].collect()] == ["b"]
    assert [row["id"] for row in written[1].collect()] == ["x"]


_ODD_COLUMNS = "with space,quo`te,ünï,select,a.b,semi;colon,it's,Total (€)"


def test_columns_with_odd_names_go_through_rules_quarantine_and_merge(project: Project) -> None:
    project.file("in/1.csv", f"{_ODD_COLUMNS}\n1,2,3,4,5,6,7,8\nx,2,3,4,5,6,7,8\n9,2,3,-4,5,6,7,8\n")
    text = """
        source: {path: in/*.csv}
        model:
          fields:
            - {name: with space, type: int, required: true}
            - {name: "quo`te", type: int}
            - {name: select, type: int}
            - {name: a.b}
        transformations:
          - derive: {field: "new (one)", sql: "`with space` + `select`"}
        quality:
          row_rules:
            - sql: "`select` > 0 AND `ünï` = '3' AND `a.b` = '5' AND `it's` = '7' AND `Total (€)` = '8'"
        primary_key: [with space]
        materialization:
          strategy: merge
          target_path: out
    """
    result = project.run(text)
    assert (result.counts.good, result.counts.quarantined) == (1, 2)
    assert {rule.name: rule.sample for rule in result.rules if rule.failed}["with space_type"] == {"with space": "x"}
    assert project.run(force=True).status == "succeeded"
    row = project.spark.read.format("delta").load(str(project.root / "out")).first()
    assert row is not None
    assert row.asDict() == {
        "with space": 1, "quo`te": 2, "ünï": "3", "select": 4, "a.b": "5", "semi;colon": "6", "it's": "7",
        "Total (€)": "8", "new (one)": 5,
    }  # fmt: skip


def test_columns_that_differ_from_the_contract_only_in_case_are_the_same(project: Project) -> None:
    project.file("in/1.csv", "ID,Name\n1,a\n")
    text = _source("in/*.csv") + "model: {fields: [{name: id, type: int, required: true}, {name: name}]}\n"
    result = project.run(text + "quality: {row_rules: [{sql: NAME = 'a'}]}\n")
    assert (result.counts.good, list(project.rows()[0].values())) == (1, [1, "a"])


@pytest.mark.parametrize(
    ("target", "more", "said"),
    [
        ("in/out", "", "lies in the source"),
        ("in", "", "lies in the source"),
        ("out", "quarantine: {target: out}\n", "quarantine and target are both"),
    ],
)
def test_a_place_that_would_be_read_or_written_twice_is_refused(
    project: Project, target: str, more: str, said: str
) -> None:
    project.file("in/1.csv", "id\n1\n")
    text = _source("in", ", format: csv").replace("target_path: out", f"target_path: {target}")
    with pytest.raises(ContractError, match=said) as caught:
        project.run(text + more + "model: {fields: [{name: id, type: int}]}\n")
    assert caught.value.exit_code == 2 and caught.value.cure
    assert project.versions(target) is None


def test_a_rule_on_a_column_that_is_not_there_is_refused_before_anything_is_written(project: Project) -> None:
    project.file("in/1.csv", "id,amount\n1,2\n")
    with pytest.raises(ContractInvalid, match=r"contract.yaml:3.*amuont.*Did you mean 'amount'") as caught:
        project.run(_source("in/*.csv") + "quality: {row_rules: [{sql: amuont > 1}]}\n")
    assert caught.value.exit_code == 2
    assert (project.versions(), (project.root / ".lakelogic").exists()) == (None, False)
