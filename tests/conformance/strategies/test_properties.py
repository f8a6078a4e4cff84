"""For any changes in any batches, in any order, the tables are those of changes taken in order, one by one."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given, settings
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

# Few keys, hours and values: most changes meet another one.
_TEXTS = st.sampled_from([None, "a", "b"])
_EVENTS = st.builds(Event, st.integers(1, 2), st.integers(1, 6), _TEXTS, _TEXTS, st.booleans())
_BATCHES = st.lists(st.lists(_EVENTS, min_size=1, max_size=5), min_size=1, max_size=4)


def _written(contract: dict[str, Any], batches: Sequence[Sequence[Event]], *columns: str) -> list[tuple[Any, ...]]:
    with TemporaryDirectory() as folder:
        target = Target(Path(folder), DuckDBEngine(Path(folder) / "warehouse"), contract, _SCHEMA)
        for batch in batches:
            target.take([event.row() for event in batch])
        return target.rows(*columns)


def _contract(**materialization: object) -> dict[str, Any]:
    return {**_CONTRACT, "materialization": {"target_path": "out", **materialization}}


def _flat(batches: Sequence[Sequence[Event]]) -> list[Event]:
    return [event for batch in batches for event in batch]


@settings(max_examples=25, deadline=None)
@given(_BATCHES)
def test_merged_changes_end_as_if_they_had_come_in_order(batches: list[list[Event]]) -> None:
    found = _written(_contract(strategy="merge"), batches, "id", "at", "value", "note")
    assert found == models.merged(_flat(batches))


@settings(max_examples=20, deadline=None)
@given(_BATCHES)
def test_rows_that_are_marked_as_deleted_end_as_if_changes_had_come_in_order(batches: list[list[Event]]) -> None:
    soft = {"soft_delete_column": "gone", "soft_delete_time_column": "gone_at"}
    found = _written(_contract(strategy="merge", **soft), batches, "id", "value", "gone", "gone_at")
    assert found == models.softly_merged(_flat(batches))


@settings(max_examples=30, deadline=None)
@given(_BATCHES)
def test_a_history_ends_as_if_changes_had_come_in_order(batches: list[list[Event]]) -> None:
    found = _written(_contract(strategy="scd2"), batches, "id", "value", "note", *_VERSION)
    assert found == models.history(_flat(batches), all_tracked=True)


@settings(max_examples=20, deadline=None)
@given(_BATCHES)
def test_untracked_columns_have_the_newest_value_in_every_version(batches: list[list[Event]]) -> None:
    contract = _contract(strategy="scd2", scd2={"track_columns": ["value"]})
    found = _written(contract, batches, "id", "value", "note", *_VERSION)
    assert found == models.history(_flat(batches), all_tracked=False)


@pytest.mark.slow
@settings(max_examples=300, deadline=None)
@given(_BATCHES)
def test_versions_do_not_overlap_and_at_most_one_is_current(batches: list[list[Event]]) -> None:
    found = _written(_contract(strategy="scd2"), batches, "id", "effective_from", "effective_to", "is_current")
    assert found == [row[:1] + row[3:6] for row in models.history(_flat(batches), all_tracked=True)]
    for key in {row[0] for row in found}:
        versions = sorted(row[1:] for row in found if row[0] == key)
        assert all(one[1] <= other[0] for one, other in pairwise(versions))
        assert sum(current for _, _, current in versions) <= 1
