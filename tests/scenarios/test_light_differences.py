"""The same files and tables through Spark and DuckDB: every column, type, value and malformed record is the same."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.orc
import pyarrow.parquet
import pytest

from lakelogic import DataProcessor, load_contract
from lakelogic.engines.duckdb.engine import DuckDBEngine
from lakelogic.engines.spark.engine import SparkEngine
from lakelogic.plan.names import FILE
from lakelogic.run.begin import Ask, Beginning
from lakelogic.sql.types import type_name
from tests.scenarios.hard_files import CSV, JSON
from tests.scenarios.project import Project
from tests.scenarios.test_exactly_once import _INCREMENTAL

if TYPE_CHECKING:
    from collections.abc import Sequence

_TARGET = "materialization: {target_path: out}\n"
_DECLARED = (
    "model: {fields: [{name: id, type: int}, {name: v, type: string}, {name: a, type: string},"
    " {name: f, type: 'decimal(9,2)'}, {name: s, type: string}]}\n"
)


def _seen(project: Project, engine: Any, text: str) -> tuple[list[tuple[str, str]], list[str]]:
    """The columns with their types, and the rows as text in a stable order; NaN is equal to itself there."""
    found = Beginning(load_contract(project.contract(text)), Ask(), None).input().shaped(engine)
    rows: Sequence[Any] = engine.head(found.frame(engine), 1000)
    return [(column.name, type_name(column.type)) for column in found.columns], sorted(str(dict(row)) for row in rows)


def _same(project: Project, text: str) -> None:
    spark = _seen(project, SparkEngine(project.spark, None), text)
    assert _seen(project, DuckDBEngine(project.root / "warehouse"), text) == spark
    assert FILE.name in [name for name, _ in spark[0]]


@pytest.mark.parametrize("name", CSV)
def test_csv_is_read_alike(project: Project, name: str) -> None:
    options, data = CSV[name]
    project.file("in/1.csv", data)
    _same(project, f"source: {{path: in/*.csv, options: {{{options}}}}}\n{_TARGET}")


@pytest.mark.parametrize("model", ["", _DECLARED], ids=["found", "declared"])
@pytest.mark.parametrize("name", JSON)
def test_json_is_read_alike(project: Project, name: str, model: str) -> None:
    project.file("in/1.json", JSON[name])
    _same(project, f"source: {{path: in/*.json}}\n{_TARGET}{model}")


def _columns() -> pa.Table:
    times = pa.array([0, 1_700_000_000_123_456, None])
    return pa.table(
        {
            "i8": pa.array([1, -128, None], pa.int8()),
            "u32": pa.array([1, 2**32 - 1, None], pa.uint32()),
            "f": pa.array([1.5, float("nan"), None], pa.float32()),
            "d": pa.array([b"1.10".decode(), "-2.20", None]).cast(pa.decimal128(9, 2)),
            "b": pa.array([b"\x00\xff", b"", None]),
            "day": pa.array([0, 20_000, None], pa.date32()),
            "at": times.cast(pa.timestamp("us", tz="UTC")),
            "local": times.cast(pa.timestamp("us")),
            "l": pa.array([[1, None], [], None]),
            "s": pa.array([{"x": 1, "y": ["a"]}, {"x": None, "y": None}, None]),
            "m": pa.array([[("k", 1)], [], None], pa.map_(pa.string(), pa.int64())),
        }
    )


def test_parquet_of_every_type_is_read_alike(project: Project) -> None:
    (project.root / "in").mkdir()
    table = _columns().drop_columns(["b", "at", "m"])
    pyarrow.parquet.write_table(table, project.root / "in" / "1.parquet")
    pyarrow.parquet.write_table(table.select(["i8", "l"]), project.root / "in" / "2.parquet")
    _same(project, f"source: {{path: in/*.parquet}}\n{_TARGET}")


def test_orc_is_read_alike(project: Project) -> None:
    (project.root / "in").mkdir()
    pyarrow.orc.write_table(_columns().select(["d", "day", "l", "s"]), project.root / "in" / "1.orc")
    _same(project, f"source: {{path: in/*.orc}}\n{_TARGET}")


@pytest.mark.parametrize("strategy", ["append", "overwrite", "merge"])
def test_a_table_is_written_by_one_engine_today_and_by_another_tomorrow(project: Project, strategy: str) -> None:
    contract = project.contract(_INCREMENTAL.replace("append", strategy))
    batches = ("1,a\n2,b\nx,bad", "2,B\n3,c", "3,c\n4,d\ny,bad", "4,D\n4,D")
    for number, (rows, engine) in enumerate(zip(batches, ("spark", "duckdb", "spark", "duckdb"), strict=True), 1):
        unique = rows if strategy != "merge" else "\n".join(dict.fromkeys(rows.splitlines()))
        project.file(f"in/{number}.csv", f"id,name\n{unique}\n")
        spark = project.spark if engine == "spark" else None
        result = DataProcessor(contract, engine, spark=spark).run()
        assert (result.engine, result.sequence, result.status) == (engine, number, "succeeded")
    expected = {"append": [1, 2, 2, 3, 3, 4, 4, 4], "overwrite": [4, 4], "merge": [1, 2, 3, 4]}
    assert project.values("id") == expected[strategy]
    assert project.values("id", "out_quarantine") == ["x", "y"]
    assert [row["engine"] for row in project.log()] == ["spark", "duckdb", "spark", "duckdb"]


def test_a_run_that_one_engine_published_is_not_written_again_by_another(project: Project) -> None:
    project.file("in/1.csv", "id,name\n1,a\nx,bad\n")
    contract = project.contract(_INCREMENTAL)
    DataProcessor(contract, "duckdb").run()
    folder = next((project.root / ".lakelogic" / "runs").iterdir())
    # As if the process had died between its last write and its record.
    (folder / "00000001.done.json").unlink()
    for owner in folder.glob("*.owner-*.json"):
        owner.unlink()
    result = DataProcessor(contract, "spark", spark=project.spark).run()
    assert (result.counts.good, result.counts.quarantined) == (1, 1)
    assert (project.values("id"), project.values("id", "out_quarantine")) == ([1], ["x"])


@pytest.fixture
def spark_table(project: Project) -> Path:
    """A Delta table with deletion vectors, mapped names and a partition, as Spark writes it."""
    path = project.root / "in"
    rows = project.spark.sql("SELECT id, concat('n', id) AS `the name`, id % 2 AS part FROM range(10)")
    options = {"delta.enableDeletionVectors": "true", "delta.columnMapping.mode": "name"}
    rows.write.format("delta").options(**options).partitionBy("part").save(str(path))
    project.spark.sql(f"DELETE FROM delta.`{path}` WHERE id IN (3, 4)")
    project.spark.sql(f"ALTER TABLE delta.`{path}` RENAME COLUMN `the name` TO label")
    return path


@pytest.mark.usefixtures("spark_table")
def test_a_delta_table_with_deletion_vectors_and_mapped_names_is_read_alike(project: Project) -> None:
    text = f"source: {{path: in, format: delta}}\n{_TARGET}"
    seen = {}
    for name, engine in (("spark", SparkEngine(project.spark, None)), ("duckdb", DuckDBEngine(project.root))):
        found = Beginning(load_contract(project.contract(text)), Ask(), None).input().shaped(engine)
        rows = engine.head(found.frame(engine), 100)
        seen[name] = sorted((row["id"], row["label"], row["part"]) for row in rows), found.columns.names
    assert seen["duckdb"] == seen["spark"]
    assert len(seen["spark"][0]) == 8
