"""Strategies in whole runs: files of changes, dated snapshots, slices, and the accounts of each."""

from __future__ import annotations

from pathlib import Path

import pytest

from lakelogic.errors import GateClosed
from tests.scenarios.light import ENGINES, light_project
from tests.scenarios.project import Project

_CHANGES = """
    source: {{path: in/*.csv, load_mode: cdc, cdc_op_field: op, cdc_timestamp_field: at}}
    model:
      fields:
        - {{name: id, type: int, required: true}}
        - {{name: at, type: timestamp}}
        - {{name: name, type: string, required: true}}
    primary_key: [id]
    materialization: {{strategy: {strategy}, target_path: out}}
"""


@pytest.fixture(params=[*ENGINES, pytest.param("spark", marks=pytest.mark.slow)])
def project(request: pytest.FixtureRequest, tmp_path: Path) -> Project:
    if request.param == "spark":
        return Project(tmp_path, request.getfixturevalue("spark"))
    return light_project(tmp_path, request.param)


def _fed(project: Project, strategy: str) -> None:
    project.file("in/1.csv", "id,at,name,op\n1,2026-01-01,a,c\n2,2026-01-01,b,c\n2,2026-01-03,B,u\n3,,no time,c\n")
    first = project.run(_CHANGES.format(strategy=strategy))
    counts = first.counts
    assert (counts.source, counts.good, counts.quarantined) == (4, 3, 1)
    assert project.bad() == {"3": ["Rule failed: at is required"]}
    project.file("in/2.csv", "id,at,name,op\n1,2026-01-05,,d\n2,2026-01-02,late,u\n,2026-01-05,,d\n")
    # A delete needs its key and its time, and no other rule is asked of it.
    second = project.run().counts
    assert (second.good, second.quarantined) == (2, 1)
    project.file("in/3.csv", "id,at,name,op\n1,2026-01-02,late,u\n")
    assert project.run().counts.good == 1


def test_late_changes_do_not_win_and_do_not_bring_back_what_was_deleted(project: Project) -> None:
    _fed(project, "merge")
    assert [(row["id"], row["name"]) for row in project.rows()] == [(2, "B")]
    assert "op" not in project.rows()[0]
    assert [row["id"] for row in project.rows("out_deleted")] == [1]


def test_late_changes_find_their_place_in_a_history(project: Project) -> None:
    _fed(project, "scd2")
    versions = sorted((row["id"], row["_version"], row["name"], row["is_current"]) for row in project.rows())
    assert versions == [
        (1, 1, "a", False),
        (1, 2, "late", False),
        (2, 1, "b", False),
        (2, 2, "late", False),
        (2, 3, "B", True),
    ]
    assert len({row["_sk"] for row in project.rows()}) == 5


def test_a_history_that_is_run_again_is_left_as_it_is(project: Project) -> None:
    _fed(project, "scd2")
    before = project.rows()
    again = project.run(force=True)
    assert again.target is not None
    assert (again.target.inserted, again.target.updated, again.target.deleted) == (0, 0, 0)
    assert project.rows() == before


def test_only_the_batchs_slices_are_replaced_and_counted(project: Project) -> None:
    contract = """
        source: {path: in/*.csv, load_mode: incremental}
        materialization: {strategy: replace_partitions, target_path: out, replace_where: day >= '2026-01-02'}
        model: {fields: [{name: id, type: int}, {name: day, type: date}]}
    """
    project.file("in/1.csv", "id,day\n1,2026-01-01\n2,2026-01-02\n3,2026-01-03\n")
    project.run(contract.replace(", replace_where: day >= '2026-01-02'", ", partition_by: [day]"))
    project.file("in/2.csv", "id,day\n4,2026-01-02\n")
    assert project.run(contract).counts.good == 1
    assert project.values("id") == [1, 4]


def test_a_slice_of_a_file_is_replaced_and_only_new_rows_are_counted(project: Project) -> None:
    contract = """
        source: {path: in/*.csv, load_mode: incremental}
        materialization: {strategy: replace_partitions, target_path: out, replace_where: id >= 2}
        model: {fields: [{name: id, type: int}]}
    """
    project.file("in/1.csv", "id\n2\n3\n")
    project.run(contract)
    project.file("in/2.csv", "id\n1\n5\n")
    project.run(
        contract.replace("strategy: replace_partitions", "strategy: append").replace(", replace_where: id >= 2", "")
    )
    project.file("in/3.csv", "id\n4\n")
    third = project.run(contract)
    assert (third.counts.good, third.counts.source) == (1, 1)
    assert project.values("id") == [1, 4]


def test_a_second_snapshot_of_a_day_takes_the_place_of_the_first(project: Project) -> None:
    project.file("in/1.csv", "id\n1\n2\n")
    contract = "source: {path: in/*.csv}\nmaterialization: {strategy: snapshot, target_path: out}\n"
    project.run(contract)
    project.file("in/1.csv", "id\n3\n")
    assert project.run().counts.good == 1
    assert project.values("id") == ["3"]
    assert len(set(project.values("_snapshot_date"))) == 1


def test_a_source_that_lost_its_rows_empties_no_table(project: Project) -> None:
    contract = """
        source: {path: in/*.csv}
        primary_key: [id]
        model: {fields: [{name: id, type: int, required: true}]}
        materialization: {strategy: merge, target_path: out, deletion: {max_delete_ratio: 10%}}
    """
    project.file("in/1.csv", "id\n1\n2\n3\n")
    project.run(contract)
    before = project.versions(), project.versions("out_quarantine")
    project.file("in/1.csv", "id\n1\nx\n")
    with pytest.raises(GateClosed, match="2 of 3 rows"):
        project.run()
    assert (project.versions(), project.versions("out_quarantine")) == before
    assert project.run(contract.replace("10%", "100%")).counts.good == 1
    assert project.values("id") == [1]


def test_a_merge_into_partitions_of_its_key_finds_every_row(project: Project) -> None:
    contract = """
        source: {path: in/*.csv, load_mode: incremental}
        primary_key: [day, place]
        model: {fields: [{name: day, type: date}, {name: place, type: string}, {name: n, type: int}]}
        materialization: {strategy: merge, target_path: out, partition_by: [place, day]}
    """
    project.file("in/1.csv", "day,place,n\n2026-01-01,it's,1\n2026-01-02,b\\c,2\n2026-01-03,a,3\n")
    project.run(contract)
    project.file("in/2.csv", "day,place,n\n2026-01-02,b\\c,20\n2026-01-01,it's,10\n2026-01-09,new,9\n")
    second = project.run()
    assert second.target is not None
    assert (second.target.updated, second.target.inserted) == (2, 1)
    assert project.values("n") == [10, 20, 3, 9]
