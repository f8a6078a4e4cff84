"""Slices of a table that a batch replaces, and rows that a merge takes out, through delta-rs."""

from __future__ import annotations

from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from lakelogic.engines.base import Committed, Stamp
from lakelogic.engines.duckdb.engine import DuckDBEngine
from lakelogic.engines.slices import condition_of, for_delta_rs
from lakelogic.errors import WriteError
from lakelogic.plan.model import TablePlan
from lakelogic.write.operations import AppendRows, MergeRows, Operation, ReplaceSlices

Row = dict[str, Any]


class Writer:
    """Writes rows into one table, under numbers that go up."""

    def __init__(self, engine: DuckDBEngine, location: str, **plan: Any) -> None:
        self._engine = engine
        self._location = location
        self._plan = plan
        self._sequence = 0

    def write(self, rows: list[Row] | pa.Table, operation: Operation) -> Committed:
        self._sequence += 1
        table = TablePlan(self._location, False, "any", operation, **self._plan)
        given = rows if isinstance(rows, pa.Table) else pa.Table.from_pylist(rows)
        stamp = Stamp("lakelogic/test/target", self._sequence, f"run-{self._sequence}", "plan", "input")
        return self._engine.write(table, self._engine.adopt(given), stamp)

    def ids(self) -> list[int]:
        from deltalake import DeltaTable

        return sorted(DeltaTable(self._location).to_pyarrow_table()["id"].to_pylist())


@pytest.fixture
def writer(engine: DuckDBEngine, tmp_path: Path) -> Writer:
    return Writer(engine, str(tmp_path / "out"))


_DAYS: dict[str, list[Any]] = {
    "text": ["a", "it's", None],
    "number": [1, 2, None],
    "date": [date(2026, 1, 1), date(2026, 1, 2), None],
    "moment": [datetime(2026, 1, 1, 5, 30, tzinfo=UTC), datetime(2026, 1, 2, tzinfo=UTC), None],
    "boolean": [True, False, None],
}


@pytest.mark.parametrize("partitioned", [False, True])
@pytest.mark.parametrize("kind", list(_DAYS))
def test_the_slices_of_a_batch_are_replaced_and_others_stay(
    engine: DuckDBEngine, tmp_path: Path, kind: str, partitioned: bool
) -> None:
    writer = Writer(engine, str(tmp_path / "out"), partition_by=("day",) if partitioned else ())
    writer.write([{"id": i, "day": day} for i, day in enumerate(_DAYS[kind])], AppendRows())
    by_day = ReplaceSlices(columns=("day",))
    first, second, none = _DAYS[kind]
    done = writer.write([{"id": 10, "day": first}, {"id": 11, "day": first}], by_day)
    assert (done.rows is not None, writer.ids()) == (True, [1, 2, 10, 11])
    writer.write(pa.table({"id": [12], "day": pa.array([none], pa.array(_DAYS[kind]).type)}), by_day)
    assert writer.ids() == [1, 10, 11, 12]
    writer.write([{"id": 13, "day": second}], by_day)
    assert writer.ids() == [10, 11, 12, 13]


def test_the_rows_of_a_condition_are_replaced_even_by_none(writer: Writer) -> None:
    rows = [{"id": i, "at": datetime(2026, 1, i, tzinfo=UTC)} for i in range(1, 6)]
    writer.write(rows, AppendRows())
    early = ReplaceSlices(where="`at` < CAST('2026-01-03' AS TIMESTAMP) AND `id` IN (1, 2)")
    writer.write([{"id": 1, "at": datetime(2026, 1, 1, tzinfo=UTC)}], early)
    assert writer.ids() == [1, 3, 4, 5]
    writer.write(pa.Table.from_pylist(rows)[:0], early)
    assert writer.ids() == [3, 4, 5]


def test_a_row_outside_the_condition_is_refused(writer: Writer) -> None:
    writer.write([{"id": 1}], AppendRows())
    with pytest.raises(WriteError):
        writer.write([{"id": 5}], ReplaceSlices(where="`id` = 1"))
    assert writer.ids() == [1]


def test_a_batch_without_rows_replaces_no_slice(writer: Writer) -> None:
    writer.write([{"id": 1}], AppendRows())
    done = writer.write(pa.table({"id": pa.array([], pa.int64())}), ReplaceSlices(columns=("id",)))
    assert (done.version, writer.ids()) == (1, [1])


def test_a_merge_takes_out_the_rows_that_are_gone(writer: Writer) -> None:
    merge = MergeRows(("id",), ("id",), ("name",), gone="_ll_gone")
    rows = [{"id": 1, "name": "a", "_ll_gone": False}, {"id": 2, "name": "b", "_ll_gone": False}]
    writer.write([*rows, {"id": 9, "name": "x", "_ll_gone": True}], merge)
    assert writer.ids() == [1, 2]
    batch = [{"id": 1, "name": None, "_ll_gone": True}, {"id": 2, "name": "B", "_ll_gone": False}]
    done = writer.write(
        [*batch, {"id": 3, "name": "c", "_ll_gone": False}, {**rows[0], "id": 8, "_ll_gone": True}], merge
    )
    assert (done.inserted, done.updated, done.deleted, writer.ids()) == (1, 1, 1, [2, 3])


def test_a_condition_names_moments_as_delta_rs_knows_them() -> None:
    told = for_delta_rs(condition_of("`at` >= CAST('2026-01-01' AS TIMESTAMP) AND `day` = CAST('2026-01-01' AS DATE)"))
    assert told == (
        "\"at\" >= ARROW_CAST('2026-01-01', 'Timestamp(Microsecond, Some(\"UTC\"))') AND "
        "\"day\" = CAST('2026-01-01' AS DATE)"
    )
