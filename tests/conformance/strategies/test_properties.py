"""For any changes in any batches, in any order, the tables are those of changes taken in order, one by one."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from lakelogic.engines.duckdb.engine import DuckDBEngine
from tests.conformance.strategies import models
from tests.conformance.strategies.models import Event
from tests.conformance.strategies.target import Target

_SCHEMA = pa.schema(
    {
        "id": pa.int64(),
        "at": pa.timestamp("us", tz="UTC"),
        "value": pa.string(),
        "note": pa.string(),
        "op": pa.string(),
    }
)
_SOURCE = {"path": "in", "format": "csv", "load_mode": "cdc", "cdc_op_field": "op", "cdc_timestamp_field": "at"}
_CONTRACT: dict[str, Any] = {"source": _SOURCE, "primary_key": ["id"]}
_VERSION = ("effective_from", "effective_to", "is_current", "_version", "_change_reason")

# Few hours and values, so that most changes meet another one; many keys, each a trial of its own.
_TEXTS = st.sampled_from([None, "a", "b"])
_EVENTS = st.builds(Event, st.integers(1, 12), st.integers(1, 6), _TEXTS, _TEXTS, st.booleans())
_BATCHES = st.lists(st.lists(_EVENTS, min_size=10, max_size=30), min_size=1, max_size=4)
_CHEAP = settings(deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
some_or_many = pytest.mark.parametrize("examples", [6, pytest.param(200, marks=pytest.mark.slow)])


class Trial:
    """A target that is written anew for every example."""

    def __init__(self, folder: Path, contract: dict[str, Any], *columns: str) -> None:
        self._target = Target(folder, DuckDBEngine(folder / "warehouse"), contract, _SCHEMA)
        self._columns = columns

    def written(self, batches: Sequence[Sequence[Event]]) -> list[tuple[Any, ...]]:
        self._target.drop()
        for batch in batches:
            self._target.take([event.row() for event in batch])
        return self._target.rows(*self._columns)


def _contract(**materialization: object) -> dict[str, Any]:
    return {**_CONTRACT, "materialization": {"target_path": "out", **materialization}}


def _flat(batches: Sequence[Sequence[Event]]) -> list[Event]:
    return [event for batch in batches for event in batch]


@some_or_many
def test_merged_changes_end_as_if_they_had_come_in_order(tmp_path: Path, examples: int) -> None:
    trial = Trial(tmp_path, _contract(strategy="merge"), "id", "at", "value", "note")

    @settings(_CHEAP, max_examples=examples)
    @given(_BATCHES)
    def holds(batches: list[list[Event]]) -> None:
        assert trial.written(batches) == models.merged(_flat(batches))

    holds()


@some_or_many
def test_rows_that_are_marked_as_deleted_end_as_if_changes_had_come_in_order(tmp_path: Path, examples: int) -> None:
    soft = {"soft_delete_column": "gone", "soft_delete_time_column": "gone_at"}
    trial = Trial(tmp_path, _contract(strategy="merge", **soft), "id", "value", "gone", "gone_at")

    @settings(_CHEAP, max_examples=examples)
    @given(_BATCHES)
    def holds(batches: list[list[Event]]) -> None:
        assert trial.written(batches) == models.softly_merged(_flat(batches))

    holds()


@some_or_many
@pytest.mark.parametrize("all_tracked", [True, False])
def test_a_history_ends_as_if_changes_had_come_in_order(tmp_path: Path, all_tracked: bool, examples: int) -> None:
    scd2 = {"scd2": {} if all_tracked else {"track_columns": ["value"]}}
    trial = Trial(tmp_path, _contract(strategy="scd2", **scd2), "id", "value", "note", *_VERSION)

    @settings(_CHEAP, max_examples=examples)
    @given(_BATCHES)
    def holds(batches: list[list[Event]]) -> None:
        found = trial.written(batches)
        assert found == models.history(_flat(batches), all_tracked=all_tracked)
        for key in {row[0] for row in found}:
            versions = sorted(row[3:6] for row in found if row[0] == key)
            assert all(one[1] <= other[0] for one, other in pairwise(versions))
            assert sum(current for _, _, current in versions) <= 1

    holds()
