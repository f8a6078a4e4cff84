"""The strategies' cases on every engine, and what engines must agree on beyond values."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from lakelogic.engines.duckdb.engine import DuckDBEngine
from lakelogic.engines.spark.engine import SparkEngine
from lakelogic.errors import GateClosed
from tests.conformance.strategies.cases import CASES, CDC, Case
from tests.conformance.strategies.target import Died, Target, at, engine_of

_SCHEMA = pa.schema({"id": pa.int64(), "value": pa.string(), "at": pa.timestamp("us", tz="UTC"), "op": pa.string()})
_NAMES = ("duckdb", "polars", "spark")


def _trials() -> Iterator[Any]:
    for case in CASES:
        for engine in _NAMES:
            marks = [pytest.mark.slow] if engine == "spark" and not case.spark_in_ci else []
            yield pytest.param(case, engine, id=f"{case.name} ({engine})", marks=marks)


@pytest.mark.parametrize(("case", "name"), list(_trials()))
def test_the_target_is_as_the_case_says(case: Case, name: str, tmp_path: Path, request: pytest.FixtureRequest) -> None:
    engine = engine_of(name, tmp_path, request)
    target = Target(tmp_path, engine, case.contract, _SCHEMA)
    for batch in case.rows():
        target.take(batch)
    assert target.rows(*case.columns) == sorted(case.after, key=str)
    engine.close()


def test_the_same_batch_again_changes_nothing(tmp_path: Path) -> None:
    for case in CASES:
        target = Target(tmp_path / case.name, DuckDBEngine(tmp_path / "warehouse"), case.contract, _SCHEMA)
        *_, last = case.rows()
        target.take(last)
        before = target.rows(*case.columns)
        done = target.take(last)
        assert target.rows(*case.columns) == before, case.name
        if "replace" not in case.name and "snapshot keeps" not in case.name:
            assert (done.inserted, done.updated, done.deleted) == (0, 0, 0), case.name


def test_a_batch_that_would_take_out_too_much_is_stopped_before_anything_is_written(tmp_path: Path) -> None:
    reconcile = {"strategy": "merge", "deletion": {"max_delete_ratio": 0.5}}
    case = Case("", reconcile, [[(1, "a"), (2, "b"), (3, "c")], [(1, "a")]], (), ())
    target = Target(tmp_path, DuckDBEngine(tmp_path / "warehouse"), case.contract, _SCHEMA)
    first, second = case.rows()
    target.take(first)
    with pytest.raises(GateClosed, match="2 of 3 rows .* are not in the batch, and max_delete_ratio is 0.5") as caught:
        target.take(second)
    assert caught.value.cure is not None
    assert [row[0] for row in target.rows("id")] == [1, 2, 3]


@pytest.mark.parametrize("strategy", ["merge", "scd2"])
def test_a_run_that_dies_after_its_deletes_were_written_ends_like_any_other(tmp_path: Path, strategy: str) -> None:
    batches: list[list[tuple[Any, ...]]] = [
        [(1, "a", 1, "c"), (2, "b", 1, "c")],
        [(1, None, 5, "d"), (2, "B", 2, "u")],
        [(1, "late", 3, "u")],
    ]
    case = Case("", {"strategy": strategy}, batches, (), (), source=CDC)
    found = []
    for name, dies_before in (("twin", None), ("killed", "target")):
        target = Target(tmp_path / name, DuckDBEngine(tmp_path / "warehouse"), case.contract, _SCHEMA)
        for batch in case.rows():
            if dies_before:
                with pytest.raises(Died):
                    target.take(batch, dies_before="target")
            target.take(batch)
        found.append((target.rows("id", "value", "at"), target.versions("_deleted")))
    assert found[0] == found[1]
    assert found[0][1] == 1


def test_a_clock_that_was_put_back_does_not_make_a_row_older(tmp_path: Path) -> None:
    case = Case("", {"strategy": "scd2"}, [[(1, "a")], [(1, "b")], [(1, "c")]], (), ())
    target = Target(tmp_path, DuckDBEngine(tmp_path / "warehouse"), case.contract, _SCHEMA)
    for batch, hour in zip(case.rows(), (10, 9, 8), strict=True):
        target.take(batch, at(hour))
    versions = target.rows("_version", "value", "is_current", "effective_from", "effective_to")
    assert [row[:3] for row in versions] == [(1, "a", False), (2, "b", False), (3, "c", True)]
    assert all(row[3] < row[4] for row in versions)


def test_engines_make_the_same_surrogate_keys(tmp_path: Path, spark: Any) -> None:
    case = Case("", {"strategy": "scd2", "scd2": {"timestamp_field": "at"}}, [[(1, "a", 1), (1, "b", 2)]], (), ())
    keys = []
    for engine in (DuckDBEngine(tmp_path / "warehouse"), SparkEngine(spark, None)):
        target = Target(tmp_path / engine.name, engine, case.contract, _SCHEMA)
        target.take(case.rows()[0])
        keys.append(target.rows("_version", "_sk", "_seen_at"))
        engine.close()
    assert keys[0] == keys[1]
    assert len({key for _, key, _ in keys[0]}) == 2
