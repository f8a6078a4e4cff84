"""Targets of every format, secondary targets, definitions and upkeep, on engines that need no Spark."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import duckdb
import pytest

from lakelogic.cli.main import main
from lakelogic.engines.duckdb.engine import DuckDBEngine
from lakelogic.errors import ContractInvalid, LakeLogicError, WriteError
from tests.scenarios.light import LightProject, light_project

CONTRACT = """
source: {path: in/*.csv, load_mode: incremental}
model: {fields: [{name: id, type: int, required: true}, {name: at, type: timestamp}]}
primary_key: [id]
materialization: {target_path: out, %s}
"""
FIRST = 'id,at,name\n1,2026-01-02T03:04:05Z,"a, ""x"""\n2,,\n,2026-01-01,bad\n'
SECOND = "id,at,name\n3,2026-02-01, c \n"


@pytest.fixture
def project(tmp_path: Path) -> LightProject:
    """DuckDB: the Polars engine writes through the same code."""
    found = light_project(tmp_path)
    found.file("in/1.csv", FIRST)
    return found


def _plain(project: LightProject, kind: str) -> list[tuple[Any, ...]]:
    """The rows as somebody sees them who knows nothing of LakeLogic."""
    reader = {"parquet": "read_parquet", "csv": "read_csv", "json": "read_json", "iceberg": "iceberg_rows"}[kind]
    text = ", all_varchar = true" if kind == "csv" else ""
    place = f"{reader}('{project.root}/out/**/*.{kind}', union_by_name = true{text})"
    with duckdb.connect() as connection:
        connection.execute("SET TimeZone = 'UTC'")
        if kind == "iceberg":
            from lakelogic.engines.duckdb.iceberg_catalog import FolderCatalog

            table = FolderCatalog(project.root / "out").open()
            assert table is not None
            connection.register(reader, table.scan().to_arrow())
            place = reader
        rows = connection.execute(f'SELECT id::int, "at"::timestamptz::varchar, name FROM {place}').fetchall()
    return sorted(rows)


@pytest.mark.parametrize("kind", ["parquet", "csv", "json", "iceberg"])
def test_rows_are_appended_once_and_read_by_anybody(project: LightProject, kind: str) -> None:
    first = project.run(CONTRACT % f"format: {kind}")
    assert first.target is not None and (first.counts.good, first.counts.quarantined, first.target.rows) == (2, 1, 2)
    project.file("in/2.csv", SECOND)
    assert project.run().counts.good == 1
    assert project.run().status == "no_new_data"
    assert _plain(project, kind) == [
        (1, "2026-01-02 03:04:05+00", 'a, "x"'),
        (2, None, None),
        (3, "2026-02-01 00:00:00+00", " c "),
    ]


def test_polars_writes_files_and_iceberg_tables(tmp_path: Path) -> None:
    project = light_project(tmp_path, "polars")
    project.file("in/1.csv", SECOND)
    result = project.run(CONTRACT % "format: iceberg, secondary_targets: [{target_path: more, format: parquet}]")
    assert [table.rows for table in result.tables[-2:]] == [1, 1]


@pytest.mark.parametrize("kind", ["parquet", "csv", "json"])
def test_an_overwrite_leaves_only_the_new_rows(project: LightProject, kind: str) -> None:
    text = CONTRACT % f"format: {kind}, strategy: overwrite"
    project.run(text)
    project.file("in/1.csv", SECOND)
    project.run()
    assert [row[0] for row in _plain(project, kind)] == [3]


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ("format: csv, strategy: merge", "strategy merge can't be applied to tables of format csv"),
        ("format: iceberg, strategy: merge", "strategy merge can't be applied to tables of format iceberg"),
        ("format: csv, partition_by: [name]", "partition_by can't be applied to tables of format csv"),
        ("format: json, table_properties: {a: b}", "table_properties have no meaning for tables of format json"),
        ("format: parquet, compaction: {auto: true}", "compaction can't be done for tables of format parquet"),
        ("cluster_by: [name]", "cluster_by can't be applied to tables of format delta"),
        ("location: elsewhere", "location says where a catalog keeps a table"),
        ("partition_by: [nowhere]", "column 'nowhere' is unknown"),
        ("secondary_targets: [{target_path: out}]", "two tables are both"),
    ],
)
def test_what_can_not_be_written_is_refused_before_anything_is(project: LightProject, said: str, told: str) -> None:
    with pytest.raises(LakeLogicError, match=told):
        project.run(CONTRACT % said)
    assert not (project.root / "out").exists()


def test_the_weaker_promise_of_plain_files_is_told(project: LightProject) -> None:
    project.contract(CONTRACT % "format: parquet")
    (told,) = project.processor().preview().weaker_promises
    assert "plain parquet files" in told


def test_an_iceberg_table_is_a_source_and_holds_quarantine(project: LightProject) -> None:
    project.run((CONTRACT % "format: iceberg") + "quarantine: {format: iceberg}\n")
    project.contract("source: {path: out, type: iceberg}\nmaterialization: {target_path: copy}\n", "copy.yaml")
    result = project.processor("copy.yaml").run()
    assert result.counts.source == 2
    assert [row["id"] for row in project.rows("copy")] == [1, 2]


def _failing_at(call: int, monkeypatch: pytest.MonkeyPatch) -> None:
    write, calls = DuckDBEngine.write, [0]

    def failing(self: DuckDBEngine, *arguments: Any) -> Any:
        calls[0] += 1
        if calls[0] == call:
            raise WriteError("the disk is gone")
        return write(self, *arguments)

    monkeypatch.setattr(DuckDBEngine, "write", failing)


SECONDARY = CONTRACT % "secondary_targets: [{target_path: more}, {target_path: files, format: parquet}]"


def test_secondary_targets_get_the_rows_once_whatever_happens(
    project: LightProject, monkeypatch: pytest.MonkeyPatch
) -> None:
    for _ in ("more", "files", "out"):
        # What an earlier attempt has written is found and not written again.
        with monkeypatch.context() as patched, pytest.raises(WriteError):
            _failing_at(2, patched)
            project.run(SECONDARY)
        assert not (project.root / "out").exists()
    result = project.run()
    assert [Path(table.location).name for table in result.tables] == ["out_quarantine", "more", "files", "out"]
    assert [table.rows for table in result.tables] == [1, 2, 2, 2]
    assert (project.versions("more"), project.versions("out")) == (1, 1)
    assert len(list((project.root / "files").glob("run=*"))) == 1
    assert json.loads(project.log()[-1]["report"])["secondary"][0]["rows"] == 2


def test_a_run_that_is_given_up_is_taken_out_of_secondary_targets(
    project: LightProject, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patched, pytest.raises(WriteError):
        _failing_at(4, patched)
        project.run(SECONDARY)
    project.file("in/1.csv", SECOND)
    project.run()
    assert [row["id"] for row in project.rows("more")] == [3]
    assert len(list((project.root / "files").glob("run=*"))) == 1


def test_upkeep_follows_the_commit_and_never_fails_a_run(
    project: LightProject, monkeypatch: pytest.MonkeyPatch, told: list[str]
) -> None:
    text = CONTRACT % "compaction: {auto: true, vacuum_retention_hours: 0}"
    for number in (1, 2, 3):
        project.file(f"in/{number}.csv", f"id,at,name\n{number},,x\n")
        project.run(text)
    assert len(list((project.root / "out").glob("*.parquet"))) == 1
    assert project.values("id") == [1, 2, 3]

    def failing(*_: object) -> None:
        raise WriteError("no room to tidy")

    monkeypatch.setattr(DuckDBEngine, "tidy", failing)
    project.file("in/9.csv", "id,at,name\n9,,x\n")
    assert project.run().status == "succeeded"
    assert any("no room to tidy" in line for line in told)


def test_a_definition_is_printed_applied_and_then_empty(
    project: LightProject, capsys: pytest.CaptureFixture[str]
) -> None:
    file = str(project.contract(CONTRACT % "partition_by: [name]"))
    arguments = ["ddl", file, "--engine", project.engine]
    assert main(arguments) == 0
    assert "CREATE TABLE delta." in capsys.readouterr().out and not (project.root / "out").exists()
    assert main([*arguments, "--apply", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["applied"] is True
    assert main(arguments) == 0
    assert "is as the contract says" in capsys.readouterr().out
    assert project.run().counts.good == 2
    project.file("in/2.csv", "id,at,name,more\n3,,x,y\n")
    preview = project.processor().preview()
    assert preview.alters == (f"ALTER TABLE delta.`{project.root}/out` ADD COLUMNS (`more` string)",)


@pytest.mark.parametrize(
    ("evolution", "strategy", "columns"),
    [
        ("strict", "append", None),
        ("append", "append", {"id", "at", "name", "more"}),
        ("merge", "append", {"id", "at", "name", "more"}),
        ("allow", "append", {"id", "at", "name", "more"}),
        ("append", "overwrite", {"id", "at", "name", "more"}),
        ("allow", "overwrite", {"id", "at", "more"}),
        ("overwrite", "overwrite", {"id", "at", "more"}),
    ],
)
def test_columns_change_as_the_policy_says(
    project: LightProject, evolution: str, strategy: str, columns: set[str] | None
) -> None:
    text = (CONTRACT % f"strategy: {strategy}") + f"schema_policy: {{evolution: {evolution}}}\n"
    project.run(text)
    project.file("in/1.csv", "id,at,more\n7,,y\n")
    if columns is None:
        with pytest.raises(WriteError, match="has no column more"):
            project.run()
        return
    project.run()
    assert {name for row in project.rows() for name in row if not name.startswith("_")} == columns


def test_a_policy_that_drops_columns_needs_a_strategy_that_drops_rows(project: LightProject) -> None:
    with pytest.raises(ContractInvalid, match="strategy append keeps older rows"):
        project.run((CONTRACT % "strategy: append") + "schema_policy: {evolution: overwrite}\n")
