"""parquet, orc, Delta tables and tables of the catalog as sources."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.orc
import pyarrow.parquet
import pytest
from deltalake import write_deltalake

from lakelogic.errors import SourceError
from tests.scenarios.project import Project


def _source(path: str, more: str = "") -> str:
    return f"source: {{path: {path}{more}}}\nmaterialization: {{target_path: out}}\n"


def _parquet(path: Path, **columns: list[Any]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    pyarrow.parquet.write_table(pa.table(columns), path)


def test_parquet_files_of_other_shapes_meet_by_name(project: Project) -> None:
    _parquet(project.root / "in" / "1.parquet", id=[1, 2], name=["a", "b"])
    _parquet(project.root / "in" / "2.parquet", name=["c"], more=[1.5])
    _parquet(project.root / "in" / "3.parquet", id=["x3"], NAME=["d"])
    assert project.read(_source("in/*.parquet")) == [
        {"id": "1", "name": "a", "more": None},
        {"id": "2", "name": "b", "more": None},
        {"id": "x3", "name": "d", "more": None},
        {"id": None, "name": "c", "more": 1.5},
    ]


def test_a_column_of_another_type_in_one_file_quarantines_only_what_does_not_fit(project: Project) -> None:
    _parquet(project.root / "in" / "1.parquet", id=[1, 2])
    _parquet(project.root / "in" / "2.parquet", id=["3", "many"])
    result = project.run(_source("in/*.parquet") + "model: {fields: [{name: id, type: bigint}]}\n")
    assert (result.counts.source, project.values("id")) == (4, [1, 2, 3])
    assert project.bad() == {"many": ["Type mismatch: id cannot be cast to bigint"]}
    position = project.rows("out_quarantine")[0]
    assert position["_lakelogic_source_file"].endswith("/in/2.parquet")
    assert position["_lakelogic_source_position"] == 1


def test_a_file_that_is_no_parquet_is_named(project: Project) -> None:
    _parquet(project.root / "in" / "1.parquet", id=[1])
    project.file("in/2.parquet", "id\n1\n")
    with pytest.raises(SourceError, match=r"in/2.parquet is not a readable parquet file"):
        project.run(_source("in/*.parquet"))
    assert project.versions() is None


def test_nested_values_pass_through(project: Project) -> None:
    _parquet(project.root / "in" / "1.parquet", id=[1], tags=[["a", "b"]], place=[{"city": "Rome", "zip": 1}])
    project.run(_source("in/*.parquet"))
    assert project.rows() == [{"id": 1, "tags": ["a", "b"], "place": {"city": "Rome", "zip": 1}}]


def test_orc_files_are_read(project: Project) -> None:
    (project.root / "in").mkdir()
    pyarrow.orc.write_table(pa.table({"id": [1, 2], "name": ["a", None]}), project.root / "in" / "1.orc")
    result = project.run(_source("in/*.orc"))
    assert (result.counts.source, project.rows()) == (2, [{"id": 1, "name": "a"}, {"id": 2, "name": None}])


def test_a_delta_folder_is_read_at_its_newest_version(project: Project) -> None:
    write_deltalake(str(project.root / "in"), pa.table({"id": [1, 2]}))
    write_deltalake(str(project.root / "in"), pa.table({"id": [3]}), mode="overwrite")
    first = project.run(_source("in"))
    assert (first.counts.source, project.values("id")) == (1, [3])
    assert project.run().status == "no_new_data"
    write_deltalake(str(project.root / "in"), pa.table({"id": [4]}), mode="append")
    assert project.run().counts.source == 2


@pytest.fixture
def catalog(project: Project) -> Iterator[Project]:
    """The catalog with one table that is not Delta and one that is."""
    project.spark.sql("CREATE SCHEMA IF NOT EXISTS raw")
    project.spark.sql("CREATE TABLE raw.plain USING parquet AS SELECT 1 AS id, 'a' AS name")
    project.spark.sql("CREATE TABLE raw.modern USING delta AS SELECT 2 AS id, 'b' AS name")
    yield project
    project.spark.sql("DROP SCHEMA raw CASCADE")


def test_tables_of_the_catalog_are_read_by_name(catalog: Project) -> None:
    assert catalog.run(_source("raw.plain")).counts.source == 1
    catalog.run(_source("raw.`modern`"))
    assert catalog.rows() == [{"id": 1, "name": "a"}, {"id": 2, "name": "b"}]


def test_a_table_that_is_not_there_is_named(project: Project) -> None:
    with pytest.raises(SourceError, match=r"raw\.missing") as caught:
        project.run(_source("raw.missing"))
    assert len(str(caught.value).splitlines()) == 1
