"""Frames that callers hand in and get back."""

from __future__ import annotations

from pathlib import Path

import duckdb
import polars as pl
import pyarrow as pa
import pytest

from lakelogic.engines.duckdb.engine import DuckDBEngine
from lakelogic.engines.polars.engine import PolarsEngine
from lakelogic.errors import SourceError, UsageError
from lakelogic.sql.types import type_name

_ROWS = [{"id": 1, "name": "a"}, {"id": 2, "name": None}]
_TABLE = pa.Table.from_pylist(_ROWS)


@pytest.mark.parametrize(
    "frame",
    [_TABLE, _TABLE.to_reader(), pl.DataFrame(_ROWS), duckdb.connect().from_arrow(_TABLE)],
    ids=["table", "reader", "polars", "relation"],
)
def test_whatever_speaks_arrow_can_be_gone_over_twice(engine: DuckDBEngine, frame: object) -> None:
    adopted = engine.adopt(frame)
    assert [engine.head(adopted, 5) for _ in range(2)] == [_ROWS, _ROWS]


def test_the_columns_of_a_frame_have_the_names_of_spark(engine: DuckDBEngine) -> None:
    frame = pl.DataFrame({"i": [1], "t": ["x"], "l": [[1.5]], "s": [{"a": True}]})
    found = [(column.name, type_name(column.type)) for column in engine.frame_columns(frame)]
    assert found == [("i", "bigint"), ("t", "string"), ("l", "array<double>"), ("s", "struct<`a`:boolean>")]


def test_something_that_is_no_frame_is_refused(engine: DuckDBEngine, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"must speak Arrow, .*not builtins.list"):
        engine.frame_columns([1])
    with pytest.raises(UsageError, match=r"must be a Polars DataFrame or LazyFrame, not pyarrow.lib.Table"):
        PolarsEngine(tmp_path).frame_columns(_TABLE)


def test_a_relation_comes_back_from_duckdb_and_its_length_is_known(engine: DuckDBEngine) -> None:
    found = engine.handed(engine.select("SELECT id FROM source WHERE name IS NULL", {"source": engine.adopt(_TABLE)}))
    assert isinstance(found, duckdb.DuckDBPyRelation)
    assert (len(found), found.fetchall()) == (1, [(2,)])


def test_polars_gives_frames_for_frames_and_lazy_ones_for_lazy_ones(tmp_path: Path) -> None:
    select = "SELECT id + 1 AS id FROM source"
    for given, kind in ((pl.DataFrame(_ROWS), pl.DataFrame), (pl.DataFrame(_ROWS).lazy(), pl.LazyFrame)):
        engine = PolarsEngine(tmp_path)
        found = engine.handed(engine.select(select, {"source": engine.adopt(given)}))
        assert isinstance(found, kind)
        assert found.lazy().collect().to_dicts() == [{"id": 2}, {"id": 3}]


def test_names_of_the_caller_never_reach_the_sql_of_a_contract(engine: DuckDBEngine) -> None:
    mine = pa.table({"id": [99]})
    with pytest.raises(SourceError, match="mine"):
        engine.rows("SELECT * FROM mine", {}, 1)
    assert len(mine) == 1
