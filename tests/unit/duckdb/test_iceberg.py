"""Iceberg tables through pyiceberg: commits that only one writer can make."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from pyiceberg.exceptions import CommitFailedException

from lakelogic.engines.base import Committed, Stamp
from lakelogic.engines.duckdb.engine import DuckDBEngine
from lakelogic.engines.duckdb.iceberg_catalog import FolderCatalog
from lakelogic.errors import SourceError, WriteConflict, WriteError
from lakelogic.plan.ddl import alteration
from lakelogic.plan.model import TablePlan
from lakelogic.sources.read import TableToRead
from lakelogic.write.operations import AppendRows


class Writer:
    """Writes rows into one table, under numbers that go up."""

    def __init__(self, engine: DuckDBEngine, location: str) -> None:
        self.engine = engine
        self.location = location

    def plan(self, **said: Any) -> TablePlan:
        return TablePlan(self.location, False, "append", AppendRows(), format="iceberg", **said)

    def write(self, rows: list[dict[str, Any]], sequence: int, **said: Any) -> Committed:
        stamp = Stamp("app", sequence, f"r{sequence}", "plan", "input")
        return self.engine.write(self.plan(**said), self.engine.adopt(pa.Table.from_pylist(rows)), stamp)

    def rows(self, version: int | None = None) -> list[dict[str, object]]:
        found = self.engine.head(self.engine.read_back(self.plan(), version), 100)
        return sorted((dict(row) for row in found), key=str)


@pytest.fixture
def writer(engine: DuckDBEngine, tmp_path: Path) -> Writer:
    return Writer(engine, str(tmp_path / "out"))


def test_rows_are_appended_counted_and_read_at_a_version(writer: Writer) -> None:
    first = writer.write([{"id": 1}, {"id": 2}], 1)
    assert first.rows == 2 and writer.write([{"id": 3}], 2).rows == 1
    assert writer.write([{"id": 3}], 2).rows == 1
    assert [row["id"] for row in writer.rows()] == [1, 2, 3]
    assert [row["id"] for row in writer.rows(first.version)] == [1, 2]
    assert writer.engine.last_sequence(writer.plan(), "app") == 2


def test_columns_are_added_and_widened_as_the_policy_says(writer: Writer) -> None:
    small = pa.table({"id": pa.array([1], pa.int32())}).to_pylist()
    writer.engine.alter(writer.plan(columns=(("id", "int"),)), alteration(writer.plan(columns=(("id", "int"),)), None))
    with pytest.raises(WriteError, match="is int in the table, and the rows have bigint"):
        writer.write(small, 1)
    writer.write([{"id": 5_000_000_000, "more": "x"}], 1, evolution="compatible")
    assert writer.rows() == [{"id": 5_000_000_000, "more": "x"}]
    with pytest.raises(WriteError, match="has no column new"):
        writer.write([{"id": 1, "new": 1}], 2, evolution="strict")


def test_a_run_is_taken_back_also_if_it_made_the_table(writer: Writer) -> None:
    writer.write([{"id": 1}], 1)
    writer.engine.undo(writer.plan(), "r1")
    assert writer.rows() == [] and writer.engine.find_commit(writer.plan(), "r1") is None
    writer.write([{"id": 2}], 2)
    writer.write([{"id": 3}], 3)
    writer.engine.undo(writer.plan(), "r3")
    assert [row["id"] for row in writer.rows()] == [2]


def test_a_writer_that_was_overtaken_commits_after_the_other(writer: Writer, monkeypatch: pytest.MonkeyPatch) -> None:
    writer.write([{"id": 1}], 1)
    put, others = FolderCatalog._put, [9]

    def overtaken(self: FolderCatalog, number: int, metadata: Any) -> None:
        if others:
            Writer(writer.engine, writer.location).write([{"id": others.pop()}], 7)
        put(self, number, metadata)

    monkeypatch.setattr(FolderCatalog, "_put", overtaken)
    assert writer.write([{"id": 2}], 2).rows == 1
    assert [row["id"] for row in writer.rows()] == [1, 2, 9]


def test_a_writer_that_is_always_overtaken_is_told_of_a_conflict(
    writer: Writer, monkeypatch: pytest.MonkeyPatch
) -> None:
    writer.write([{"id": 1}], 1, properties=(("commit.retry.num-retries", "0"),))

    def overtaken(self: FolderCatalog, number: int, metadata: Any) -> None:
        raise CommitFailedException(f"a concurrent writer has made version {number}")

    monkeypatch.setattr(FolderCatalog, "_put", overtaken)
    with pytest.raises(WriteConflict):
        writer.write([{"id": 2}], 2)


def test_a_partitioned_table_is_written_and_described(writer: Writer) -> None:
    writer.write([{"id": 1, "day": "a"}, {"id": 2, "day": "b"}], 1, partition_by=("day",))
    there = writer.engine.describe(writer.plan())
    assert there is not None and there.partition_by == ("day",)
    assert len(writer.rows()) == 2


def test_a_table_that_is_not_there_is_said(engine: DuckDBEngine, tmp_path: Path) -> None:
    with pytest.raises(SourceError, match="no Iceberg table is at"):
        engine.table_columns(TableToRead(str(tmp_path / "none"), False, format="iceberg"))
