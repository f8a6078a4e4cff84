"""For any changes in any batches, in any order, the tables are those of changes taken in order, one by one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import closing
from itertools import pairwise
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from lakelogic.engines.base import Engine
from tests.conformance.strategies import models
from tests.conformance.strategies.models import Event
from tests.conformance.strategies.target import Target, engine_of

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
some_or_many = pytest.mark.parametrize(
    ("trial", "examples"),
    [
        ("duckdb", 6),
        pytest.param("duckdb", 200, marks=pytest.mark.slow),
        pytest.param("spark", 8, marks=pytest.mark.slow),
    ],
    indirect=["trial"],
)


class Trial:
    """A target that is written anew for every example: each time in another folder, since Spark remembers tables."""

    def __init__(self, folder: Path, engine: Engine[Any]) -> None:
        self._folder = folder
        self._engine = engine
        self._examples = 0

    def written(
        self, batches: Sequence[Sequence[Event]], contract: dict[str, Any], *columns: str
    ) -> list[tuple[Any, ...]]:
        self._examples += 1
        target = Target(self._folder / str(self._examples), self._engine, contract, _SCHEMA)
        for batch in batches:
            target.take([event.row() for event in batch])
        return target.rows(*columns)


@pytest.fixture
def trial(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[Trial]:
    with closing(engine_of(request.param, tmp_path, request)) as engine:
        yield Trial(tmp_path, engine)


def _contract(**materialization: object) -> dict[str, Any]:
    return {**_CONTRACT, "materialization": {"target_path": "out", **materialization}}


def _flat(batches: Sequence[Sequence[Event]]) -> list[Event]:
    return [event for batch in batches for event in batch]


@some_or_many
def test_merged_changes_end_as_if_they_had_come_in_order(trial: Trial, examples: int) -> None:
    contract = _contract(strategy="merge")

    @settings(_CHEAP, max_examples=examples)
    @given(_BATCHES)
    def holds(batches: list[list[Event]]) -> None:
        assert trial.written(batches, contract, "id", "at", "value", "note") == models.merged(_flat(batches))

    holds()


@some_or_many
def test_rows_that_are_marked_as_deleted_end_as_if_changes_had_come_in_order(trial: Trial, examples: int) -> None:
    soft = {"soft_delete_column": "gone", "soft_delete_time_column": "gone_at"}
    contract = _contract(strategy="merge", **soft)

    @settings(_CHEAP, max_examples=examples)
    @given(_BATCHES)
    def holds(batches: list[list[Event]]) -> None:
        found = trial.written(batches, contract, "id", "value", "gone", "gone_at")
        assert found == models.softly_merged(_flat(batches))

    holds()


@some_or_many
@pytest.mark.parametrize("all_tracked", [True, False])
def test_a_history_ends_as_if_changes_had_come_in_order(trial: Trial, all_tracked: bool, examples: int) -> None:
    scd2 = {"scd2": {} if all_tracked else {"track_columns": ["value"]}}
    contract = _contract(strategy="scd2", **scd2)

    @settings(_CHEAP, max_examples=examples)
    @given(_BATCHES)
    def holds(batches: list[list[Event]]) -> None:
        found = trial.written(batches, contract, "id", "value", "note", *_VERSION)
        assert found == models.history(_flat(batches), all_tracked=all_tracked)
        for key in {row[0] for row in found}:
            versions = sorted(row[3:6] for row in found if row[0] == key)
            assert all(one[1] <= other[0] for one, other in pairwise(versions))
            assert sum(current for _, _, current in versions) <= 1

    holds()
