"""append, overwrite and merge: into a path and into a catalog name, once, twice, and when columns come."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from lakelogic.errors import ContractInvalid, GateClosed, WriteError
from tests.scenarios.project import Project

_CONTRACT = """
    source: {{path: in/*.csv, load_mode: incremental}}
    model:
      fields:
        - {{name: id, type: int, required: true}}
        - {{name: name, type: string}}
    primary_key: [id]
    schema_policy: {{evolution: {evolution}}}
    materialization: {{strategy: {strategy}, target_path: {target}}}
"""


def _contract(strategy: str, target: str = "out", evolution: str = "append") -> str:
    return _CONTRACT.format(strategy=strategy, target=target, evolution=evolution)


_AFTER_TWO_BATCHES = {
    "append": [(1, "a"), (2, "b"), (2, "B"), (3, "c")],
    "overwrite": [(2, "B"), (3, "c")],
    "merge": [(1, "a"), (2, "B"), (3, "c")],
}


@pytest.mark.parametrize("strategy", list(_AFTER_TWO_BATCHES))
def test_two_batches_into_a_path(project: Project, strategy: str) -> None:
    project.file("in/1.csv", "id,name\n1,a\n2,b\nx,bad\n")
    first = project.run(_contract(strategy))
    project.file("in/2.csv", "id,name\n2,B\n3,c\n")
    second = project.run()
    pairs = [(row["id"], row["name"]) for row in project.rows()]
    assert sorted(pairs) == sorted(_AFTER_TWO_BATCHES[strategy])
    assert (first.counts.good, first.counts.quarantined, second.counts.good) == (2, 1, 2)
    assert first.target is not None and second.target is not None
    assert [first.target.version, second.target.version] == [0, 1]
    assert project.values("id", "out_quarantine") == ["x"]


@pytest.fixture
def schemas(project: Project) -> Iterator[Project]:
    """The shared catalog, left without the schemas of this test."""
    yield project
    for schema in ("silver", "quarantine"):
        project.spark.sql(f"DROP SCHEMA IF EXISTS {schema} CASCADE")


@pytest.mark.parametrize("strategy", list(_AFTER_TWO_BATCHES))
def test_two_batches_into_a_catalog_name(schemas: Project, strategy: str) -> None:
    project = schemas
    project.file("in/1.csv", "id,name\n1,a\n2,b\nx,bad\n")
    project.run(_contract(strategy, "silver.things"))
    project.file("in/2.csv", "id,name\n2,B\n3,c\n")
    second = project.run()
    pairs = [(row["id"], row["name"]) for row in project.spark.table("silver.things").collect()]
    assert sorted(pairs) == sorted(_AFTER_TWO_BATCHES[strategy])
    assert second.target is not None and second.target.location == "silver.things"
    assert [row["id"] for row in project.spark.table("quarantine.silver_things").collect()] == ["x"]


@pytest.mark.parametrize("strategy", list(_AFTER_TWO_BATCHES))
def test_a_new_column_is_added_where_the_policy_allows_it(project: Project, strategy: str) -> None:
    project.file("in/1.csv", "id,name\n1,a\n")
    project.run(_contract(strategy))
    project.file("in/2.csv", "id,name,extra\n1,a,new\n")
    project.run()
    extras = {"append": ["new", None], "overwrite": ["new"], "merge": ["new"]}
    assert [row["extra"] for row in project.rows()] == extras[strategy]


@pytest.mark.parametrize("strategy", list(_AFTER_TWO_BATCHES))
def test_a_new_column_is_refused_where_the_policy_is_strict(project: Project, strategy: str) -> None:
    project.file("in/1.csv", "id,name\n1,a\n")
    project.run(_contract(strategy, evolution="strict"))
    project.file("in/2.csv", "id,name,extra\n2,b,new\n")
    with pytest.raises(WriteError, match=r"extra|column") as caught:
        project.run()
    assert caught.value.cure
    assert len(str(caught.value).splitlines()) <= 3
    assert project.rows() == [{"id": 1, "name": "a"}]


def test_a_merge_that_is_run_again_updates_nothing(project: Project) -> None:
    project.file("in/1.csv", "id,name\n1,a\n2,\n")
    project.run(_contract("merge"))
    again = project.run(force=True)
    assert again.target is not None
    assert (again.target.inserted, again.target.updated, again.target.deleted) == (0, 0, 0)
    assert [(row["id"], row["name"]) for row in project.rows()] == [(1, "a"), (2, None)]


def test_a_merge_leaves_absent_keys_and_sees_a_change_to_null(project: Project) -> None:
    project.file("in/1.csv", "id,name\n1,a\n2,b\n")
    project.run(_contract("merge"))
    project.file("in/2.csv", "id,name\n2,\n")
    result = project.run()
    assert result.target is not None
    assert (result.target.inserted, result.target.updated) == (0, 1)
    assert [(row["id"], row["name"]) for row in project.rows()] == [(1, "a"), (2, None)]


@pytest.mark.parametrize("existing", [False, True])
def test_a_merge_refuses_a_repeated_key_and_names_it(project: Project, existing: bool) -> None:
    if existing:
        project.file("in/0.csv", "id,name\n7,a\n")
        project.run(_contract("merge"))
    before = project.versions()
    project.file("in/1.csv", "id,name\n7,b\n8,c\n7,d\nx,bad\n")
    with pytest.raises(GateClosed, match="repeats 1 key") as caught:
        project.run(_contract("merge"))
    assert "7" in str(caught.value) and "id" in str(caught.value)
    assert project.versions() == before
    assert project.versions("out_quarantine") == before


def test_a_merge_refuses_a_null_key_and_names_it(project: Project) -> None:
    project.file("in/1.csv", "id,name\n1,a\n,b\n")
    text = _contract("merge").replace(", required: true", "")
    with pytest.raises(GateClosed, match=r"1 good rows have a NULL in their key \(id\)"):
        project.run(text)
    assert (project.versions(), project.versions("out_quarantine")) == (None, None)


def test_a_merge_without_a_key_is_refused_before_anything_is_read(project: Project) -> None:
    text = _contract("merge").replace("primary_key: [id]", "")
    with pytest.raises(ContractInvalid, match="primary_key"):
        project.run(text)


def test_the_guard_of_a_merge_keeps_one_row_of_each_key(project: Project) -> None:
    project.file("in/1.csv", "id,name\n7,b\n8,c\n7,d\n")
    text = _contract("merge").replace("strategy: merge", "strategy: merge, merge_dedup_guard: true")
    result = project.run(text.replace("load_mode: incremental", "load_mode: incremental, watermark_field: name"))
    assert [(row["id"], row["name"]) for row in project.rows()] == [(7, "d"), (8, "c")]
    assert [(step.rows_in, step.rows_out) for step in result.steps] == [(3, 2)]


def test_partitions_and_properties_reach_the_table(project: Project) -> None:
    from deltalake import DeltaTable

    project.file("in/1.csv", "id,name\n1,a\n2,b\n")
    more = "target_path: out, partition_by: [name], table_properties: {delta.appendOnly: true}"
    project.run(_contract("append").replace("target_path: out", more))
    table = DeltaTable(str(project.root / "out"))
    assert table.metadata().partition_columns == ["name"]
    assert table.metadata().configuration["delta.appendOnly"] == "true"
