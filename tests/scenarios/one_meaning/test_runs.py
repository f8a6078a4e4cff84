"""The same contract and files on every engine: what is shown, told, written and logged is the same."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.scenarios.one_meaning.bad_input import BAD_INPUT
from tests.scenarios.one_meaning.scenarios import SCENARIOS
from tests.scenarios.one_meaning.seen import ENGINES, Scenario, differences, see

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

ALL = [
    pytest.param(each, marks=() if each.in_ci else pytest.mark.slow, id=each.name) for each in (*SCENARIOS, *BAD_INPUT)
]


@pytest.mark.usefixtures("key")
@pytest.mark.parametrize("scenario", ALL)
def test_every_engine_shows_tells_writes_and_logs_the_same(
    scenario: Scenario, tmp_path: Path, spark: SparkSession, capsys: pytest.CaptureFixture[str]
) -> None:
    spark.createDataFrame([], "n int")
    oracle, *others = [see(scenario, engine, tmp_path / "project", capsys) for engine in ENGINES]
    assert oracle.exits == list(scenario.exits or [0] * len(scenario.arrivals))
    found = {engine: differences(oracle, seen) for engine, seen in zip(ENGINES[1:], others, strict=True)}
    assert found == {"duckdb": [], "polars": []}
