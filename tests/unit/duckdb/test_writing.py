"""Delta tables written through delta-rs: the same commits that Spark makes, found by the same marks."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from deltalake import CommitProperties, DeltaTable, Transaction, write_deltalake

from lakelogic.engines.base import Committed, Stamp
from lakelogic.engines.commits import told
from lakelogic.engines.duckdb.engine import DuckDBEngine
from lakelogic.errors import SourceError, WriteError
from lakelogic.plan.model import TablePlan
from lakelogic.write.operations import AppendRows, MergeRows, Operation, ReplaceRows

Row = dict[str, Any]
_MERGE = MergeRows(("id",), ("id",), ("name",))


class Writer:
    """Writes rows into one table, under numbers that go up."""

    def __init__(self, engine: DuckDBEngine, location: str, *, is_name: bool = False) -> None:
        self.engine = engine
        self.location = location
        self.is_name = is_name

    def write(self, rows: list[Row], sequence: int, operation: Operation | None = None, **plan: Any) -> Committed:
        return self.write_table(pa.Table.from_pylist(rows), sequence, operation, **plan)

    def write_table(
        self, rows: pa.Table, sequence: int, operation: Operation | None = None, run: str | None = None, **plan: Any
    ) -> Committed:
        table = TablePlan(self.location, self.is_name, "any", operation or AppendRows(), **plan)
        return self.engine.write(table, self.engine.adopt(rows), _stamp(sequence, run))

    def rows(self, version: int | None = None) -> list[Row]:
        table = TablePlan(self.location, self.is_name, "any", AppendRows())
        return sorted((dict(row) for row in self.engine.head(self.engine.read_back(table, version), 100)), key=str)


def _stamp(sequence: int, run: str | None = None) -> Stamp:
    return Stamp("lakelogic/test/target", sequence, run or f"run-{sequence}", "plan", "input")


@pytest.fixture
def writer(engine: DuckDBEngine, tmp_path: Path) -> Writer:
    return Writer(engine, str(tmp_path / "out"))


def test_a_write_is_counted_by_its_commit(writer: Writer) -> None:
    first = writer.write([{"id": 1}, {"id": 2}], 1)
    assert (first.version, first.rows, first.operation) == (0, 2, "WRITE")
    assert writer.write([{"id": 3}], 2).version == 1
    assert writer.rows() == [{"id": 1}, {"id": 2}, {"id": 3}]
    assert writer.rows(0) == [{"id": 1}, {"id": 2}]


def test_a_repeated_write_is_left_out_and_its_first_commit_is_found(writer: Writer) -> None:
    first = writer.write([{"id": 1}], 1)
    assert writer.write([{"id": 1}], 1) == first
    assert writer.rows() == [{"id": 1}]


def test_a_write_under_a_number_of_another_run_is_told(writer: Writer) -> None:
    writer.write([{"id": 1}], 2)
    with pytest.raises(WriteError, match="did not take the rows of run late"):
        writer.write_table(pa.table({"id": [2]}), 1, run="late")
    assert writer.rows() == [{"id": 1}]


def test_a_merge_counts_what_differs_and_keeps_what_was_set_once(writer: Writer) -> None:
    writer.write([{"id": 1, "name": "a", "born": 1}, {"id": 2, "name": None, "born": 1}], 1, _MERGE)
    merge = MergeRows(("id",), ("id",), ("name",), ("born",))
    batch = [{"id": 1, "name": "a", "born": 2}, {"id": 2, "name": "b", "born": 2}, {"id": 3, "name": "c", "born": 2}]
    done = writer.write(batch, 2, merge)
    assert (done.inserted, done.updated, done.rows) == (1, 1, None)
    assert [(row["name"], row["born"]) for row in writer.rows()] == [("a", 1), ("b", 1), ("c", 2)]


def test_a_merge_that_changes_nothing_leaves_a_commit_that_says_so(writer: Writer) -> None:
    rows = [{"id": 1, "name": "a"}]
    writer.write(rows, 1, _MERGE)
    done = writer.write(rows, 2, _MERGE)
    assert (done.inserted, done.updated, done.operation, done.version) == (0, 0, "MERGE", 1)
    plan = TablePlan(writer.location, False, "any", _MERGE)
    assert writer.engine.last_sequence(plan, _stamp(2).app_id) == 2


def test_nan_and_nested_values_that_are_the_same_are_no_change(writer: Writer) -> None:
    merge = MergeRows(("id",), ("id",), ("x", "s", "l"))
    rows = [{"id": 1, "x": float("nan"), "s": {"a": 1}, "l": [1, None]}]
    writer.write(rows, 1, merge)
    assert writer.write(rows, 2, merge).updated == 0
    assert writer.write([{**rows[0], "l": [1, 2]}], 3, merge).updated == 1


@pytest.mark.parametrize("operation", [AppendRows(), MergeRows(("id",), ("id",), ("id", "more"))])
def test_new_columns_are_added_unless_the_contract_is_strict(writer: Writer, operation: Operation) -> None:
    writer.write([{"id": 1}], 1)
    with pytest.raises(WriteError, match="has no column more, and schema_policy.evolution is strict"):
        writer.write([{"id": 2, "more": "x"}], 2, operation, evolution="strict")
    writer.write([{"id": 2, "more": "x"}], 2, operation)
    assert writer.rows() == [{"id": 1, "more": None}, {"id": 2, "more": "x"}]


def test_rows_meet_the_table_by_name_and_missing_columns_are_null(writer: Writer) -> None:
    writer.write([{"id": 1, "name": "a"}], 1)
    writer.write([{"NAME": "b"}], 2, evolution="strict")
    writer.write_table(pa.table({"name": ["c"], "id": pa.array([3], pa.int32())}), 3)
    assert writer.rows() == [{"id": 1, "name": "a"}, {"id": 3, "name": "c"}, {"id": None, "name": "b"}]


def test_a_type_that_the_table_cant_hold_is_refused(writer: Writer) -> None:
    writer.write([{"id": 1}], 1)
    with pytest.raises(WriteError, match="column 'id' is bigint in the table, and the rows have string"):
        writer.write([{"id": "x"}], 2)


def test_an_overwrite_takes_the_place_of_rows_and_columns(writer: Writer) -> None:
    writer.write([{"id": 1, "old": "x"}], 1)
    assert writer.write([{"id": 2, "new": 1.5}], 2, ReplaceRows()).rows == 1
    assert writer.rows() == [{"id": 2, "new": 1.5}]
    with pytest.raises(WriteError, match="has no column other"):
        writer.write([{"other": 1}], 3, ReplaceRows(), evolution="strict")


def test_partitions_and_properties_are_as_planned(writer: Writer) -> None:
    rows: list[Row] = [{"id": 1, "day": "a b"}, {"id": 2, "day": None}]
    writer.write(rows, 1, partition_by=("day",), properties=(("delta.appendOnly", "true"),))
    table = DeltaTable(writer.location)
    assert table.metadata().partition_columns == ["day"]
    assert table.metadata().configuration["delta.appendOnly"] == "true"
    assert writer.rows() == rows


def test_names_that_parquet_cant_hold_are_mapped(writer: Writer) -> None:
    merge = MergeRows(("a b",), ("a b",), ("c(d)",))
    writer.write([{"a b": 1, "c(d)": "x"}], 1, merge)
    assert writer.write([{"a b": 1, "c(d)": "y"}, {"a b": 2, "c(d)": "z"}], 2, merge).updated == 1
    assert writer.rows() == [{"a b": 1, "c(d)": "y"}, {"a b": 2, "c(d)": "z"}]
    with pytest.raises(WriteError, match="olumn-mapped tables") as caught:
        writer.write([{"a b": 3, "e": 1}], 3)
    assert caught.value.cure is not None and "Spark" in caught.value.cure


def test_a_name_without_a_catalog_is_a_folder_of_the_warehouse(engine: DuckDBEngine, tmp_path: Path) -> None:
    writer = Writer(engine, "silver.customers", is_name=True)
    writer.write([{"id": 1}], 1)
    assert (tmp_path / "warehouse" / "silver.db" / "customers" / "_delta_log").is_dir()
    assert writer.rows() == [{"id": 1}]


def test_the_rows_of_a_run_can_be_taken_out_again(writer: Writer) -> None:
    writer.write([{"id": 1, "run": "it's"}, {"id": 2, "run": "b"}], 1)
    writer.engine.delete(TablePlan(writer.location, False, "any", AppendRows()), "run", "it's")
    assert writer.rows() == [{"id": 2, "run": "b"}]


def test_a_commit_of_spark_is_found_and_counted(writer: Writer) -> None:
    stamp = _stamp(4)
    properties = CommitProperties({"userMetadata": told(stamp)}, app_transactions=[Transaction(stamp.app_id, 4)])
    write_deltalake(writer.location, pa.table({"id": [1, 2]}), commit_properties=properties)
    plan = TablePlan(writer.location, False, "any", AppendRows())
    found = writer.engine.find_commit(plan, "run-4")
    assert found is not None and found.rows == 2
    assert writer.engine.last_sequence(plan, stamp.app_id) == 4
    assert writer.engine.find_commit(plan, "run-5") is None


def test_a_path_that_the_library_cant_open_is_refused(engine: DuckDBEngine, tmp_path: Path) -> None:
    with pytest.raises(SourceError, match="can't be opened without Spark") as caught:
        Writer(engine, str(tmp_path / "a#b")).write([{"id": 1}], 1)
    assert caught.value.cure
