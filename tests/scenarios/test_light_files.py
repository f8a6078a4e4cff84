"""Files mean the same without Spark: what the scenarios say of csv, json, columnar files and folders."""

from __future__ import annotations

from pathlib import Path

import pytest

from lakelogic.errors import SourceError
from tests.scenarios import test_columnar, test_csv, test_folders, test_json
from tests.scenarios.light import LightProject, light_project, scenarios_of

_SOURCE = "source: {path: in/*}\nmaterialization: {target_path: out}\n"
# These ask Spark itself: its catalog, its own words, and paths that only it or not even it can open.
_OF_SPARK = {
    "catalog",
    "test_tables_of_the_catalog_are_read_by_name",
    "test_a_file_that_spark_cant_name_is_refused",
    "test_a_state_folder_that_cant_hold_the_log_is_refused_before_anything_is_read",
    "test_a_folder_with_an_odd_name_holds_a_whole_project",
    "test_columns_with_odd_names_go_through_rules_quarantine_and_merge",
}
globals().update(scenarios_of(test_csv, test_json, test_columnar, test_folders, but=_OF_SPARK))


@pytest.fixture
def project(tmp_path: Path) -> LightProject:
    return light_project(tmp_path)


def test_a_key_that_a_record_has_twice_is_refused(project: LightProject) -> None:
    project.file("in/1.json", '{"id": 1}\n{"id": 2, "id": 3}\n')
    with pytest.raises(SourceError, match="names one member twice"):
        project.read(_SOURCE)


@pytest.mark.parametrize("row", ['1,"a"b', '1,"a" ', '"x" y,2'])
def test_text_after_a_closing_quote_is_refused_before_anything_is_written(project: LightProject, row: str) -> None:
    project.file("in/1.csv", f'id,text\n0,"""q"""\n1,5" pipe\n{row}\n')
    with pytest.raises(SourceError, match=r'line 4 of .*1.csv has text after a closing "') as caught:
        project.run(_SOURCE)
    assert caught.value.cure is not None and "spark" in caught.value.cure
    assert project.versions() is None


def test_a_quote_that_closes_at_the_beginning_of_a_line_is_not_taken_for_one_that_opens(project: LightProject) -> None:
    project.file("in/1.csv", 'id,text\n1,"x\n"y\n""\n')
    with pytest.raises(SourceError, match=r'line 3 of .*1.csv has text after a closing "'):
        project.read(_SOURCE)


def test_line_ends_inside_of_values_are_one_character_in_malformed_rows_too(project: LightProject) -> None:
    project.file("in/1.csv", b'id,text\r\n1,"x\r\ny",z\r\n')
    assert [row["text"] for row in project.read(_SOURCE)] == ["x\ny"]


def test_columns_with_odd_names_go_through_a_merge(project: LightProject) -> None:
    project.file("in/1.csv", "with space,quo`te,a.b,it's,Total (€)\n1,2,3,4,5\nx,2,3,4,5\n")
    fields = "model: {fields: [{name: with space, type: int, required: true}, {name: 'quo`te', type: int}]}\n"
    text = _SOURCE.replace("{target", "{strategy: merge, primary_key: [with space], target") + fields
    assert project.run(text).counts.quarantined == 1
    assert project.run(force=True).status == "succeeded"
    assert project.processor().run().status == "succeeded"


def test_a_file_in_another_encoding_than_named_is_told_also_far_behind_its_header(project: LightProject) -> None:
    project.file("in/1.csv", b"id,text\n" + b"1,abcdefghij\n" * 200_000 + "2,größe\n".encode("latin1"))
    with pytest.raises(SourceError, match=r"1.csv is not utf-8 text") as caught:
        project.run(_SOURCE)
    assert caught.value.cure is not None and "latin1" in caught.value.cure
    assert project.versions() is None


def test_a_parquet_file_that_was_cut_is_named(project: LightProject) -> None:
    test_columnar._parquet(project.root / "in" / "1.parquet", id=list(range(10_000)))
    whole = (project.root / "in" / "1.parquet").read_bytes()
    project.file("in/1.parquet", whole[: len(whole) // 2])
    with pytest.raises(SourceError, match=r"1.parquet is not a readable parquet file"):
        project.run(_SOURCE)


def test_a_table_is_as_fresh_as_its_last_commit(project: LightProject) -> None:
    project.file("in/1.csv", "id\n1\n")
    project.run("source: {path: in/*.csv}\nmaterialization: {target_path: bronze}\n")
    result = project.run(
        "source: {path: bronze, type: delta}\nservice_levels: {freshness_hours: 1}\nmaterialization: {target_path: out}\n"
    )
    assert [(level.name, level.status) for level in result.service_levels] == [("freshness", "passed")]
