"""Tables of every format on Spark, as far as they differ from Delta."""

from __future__ import annotations

from typing import Any

import pytest

from lakelogic.engines.spark.formats.delta import DeltaTables
from lakelogic.engines.spark.formats.iceberg import IcebergTables
from lakelogic.errors import WriteError
from lakelogic.plan.locations import Location
from tests.scenarios.project import Project

CONTRACT = """
source: {path: in/*.csv, load_mode: incremental}
model: {fields: [{name: id, type: int, required: true}, {name: name, type: string}%s]}
primary_key: [id]
materialization: {target_path: out, %s}
lineage: {enabled: false}
"""


def test_an_iceberg_table_is_merged_and_evolves(project: Project) -> None:
    text = CONTRACT % ("", "format: iceberg, strategy: merge")
    project.file("in/1.csv", "id,name\n1,a\n2,b\n,bad\n")
    first = project.run(text + "quarantine: {format: iceberg}\n")
    assert (first.counts.good, first.counts.quarantined) == (2, 1)
    project.file("in/2.csv", "id,name,more\n2,c,x\n3,d,y\n")
    second = project.run()
    assert second.target is not None
    assert (second.target.operation, second.target.inserted, second.target.updated) == ("MERGE", 1, 1)
    assert project.rows() == [
        {"id": 1, "name": "a", "more": None},
        {"id": 2, "name": "c", "more": "x"},
        {"id": 3, "name": "d", "more": "y"},
    ]
    project.file("in/3.csv", "id,name,more\n3,d,y\n")
    idle = project.run().target
    assert idle is not None and (idle.inserted, idle.updated) == (0, 0)


def test_a_repeated_write_to_an_iceberg_table_is_recognised(project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    project.file("in/1.csv", "id,name\n1,a\n")
    with monkeypatch.context() as patched, pytest.raises(WriteError):
        write = IcebergTables.write

        def dying(self: IcebergTables, *arguments: Any) -> Any:
            write(self, *arguments)
            raise WriteError("the machine is gone")

        patched.setattr(IcebergTables, "write", dying)
        project.run(CONTRACT % ("", "format: iceberg"))
    assert project.run().counts.good == 1
    assert [row["id"] for row in project.rows()] == [1]
    tables = IcebergTables(project.spark.newSession(), None)
    run_id = project.log()[-1]["run_id"]
    tables.undo(Location(str(project.root / "out")), run_id)
    assert project.rows() == []


@pytest.mark.parametrize(
    ("strategy", "expected"),
    [
        ("strategy: overwrite", ["c"]),
        ("strategy: replace_partitions, partition_by: [id]", ["a", "c"]),
        ("strategy: scd2", ["a", "b", "c"]),
    ],
)
def test_strategies_work_on_iceberg_tables(project: Project, strategy: str, expected: list[str]) -> None:
    project.file("in/1.csv", "id,name\n1,a\n2,b\n")
    project.run(CONTRACT % ("", f"format: iceberg, {strategy}"))
    project.file("in/2.csv", "id,name\n2,c\n")
    project.run()
    assert sorted(row["name"] for row in project.rows()) == expected


@pytest.mark.parametrize("kind", ["parquet", "csv", "json"])
def test_plain_files_are_read_back_by_anybody(project: Project, kind: str) -> None:
    project.file("in/1.csv", 'id,name\n1,"a ""b"", "\n2,\n')
    project.run(CONTRACT % ("", f"format: {kind}"))
    result = project.run(force=True)
    assert result.target is not None and result.target.rows == 2
    reader = project.spark.read.options(header="true", escape='"', ignoreTrailingWhiteSpace="false")
    rows = reader.format(kind).load(str(project.root / "out")).where(f"run = '{result.run_id}'").collect()
    assert sorted((str(row["id"]), row["name"]) for row in rows) == [("1", 'a "b", '), ("2", None)]


def test_a_table_is_clustered_widened_and_tidied(project: Project) -> None:
    text = (
        CONTRACT % ("%s", "cluster_by: [id], compaction: {auto: true, vacuum_retention_hours: 0}")
    ) + "schema_policy: {evolution: compatible}\n"
    project.file("in/1.csv", "id,name,amount\n1,a,5\n")
    project.run(text % ", {name: amount, type: int}")
    project.file("in/2.csv", "id,name,amount\n2,b,5000000000\n")
    project.run(text % ", {name: amount, type: bigint}")
    tables = DeltaTables(project.spark.newSession(), None)
    plan = project.processor().plan().target
    there = tables.describe(plan)
    assert there is not None and there.clustered == ("id",)
    assert project.spark.read.format("delta").load(str(project.root / "out")).count() == 2
    assert project.processor().define().statements == ()
