"""Every strategy on every engine, killed at every step and at instants that nobody chose."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.scenarios.child import POINTS
from tests.scenarios.kills import FORMATS, LIGHT, STRATEGIES, Arena, Case, Kill, recorded, refusal, sample

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_INSTANTS = 25
# A kill takes some seconds there.
_INSTANTS_ON_SPARK = 12
_SAMPLE = 3
_ALL = [Case(engine, strategy, kind) for engine in ("spark", *LIGHT) for kind in FORMATS for strategy in STRATEGIES]
# Each point that can matter, with the strategy for which it matters most.
_SAMPLE_ON_SPARK = {"append": ("claimed", "published"), "merge": ("quarantined",), "overwrite": ("logged",)}


@pytest.mark.slow
@pytest.mark.parametrize("case", _ALL, ids=str)
def test_whatever_the_instant_a_killed_run_ends_like_its_twin(
    case: Case, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    spark = request.getfixturevalue("spark") if case.engine == "spark" else None
    if spark is None and (told := refusal(case, tmp_path / "refused")) is not None:
        recorded(Kill(case, "refused", died=False, same=True, told=told))
        return
    arena = Arena(case, tmp_path, spark)
    at_steps = [arena.killed_at(point) for point in POINTS]
    anywhere = [arena.killed_after(part) for part in arena.instants(_INSTANTS_ON_SPARK if spark else _INSTANTS)]
    assert [kill for kill in (*at_steps, *anywhere) if not kill.same] == []
    assert all(kill.died for kill in at_steps)


def test_a_sample_of_killed_runs_end_like_their_twins(tmp_path: Path) -> None:
    cases = [Case(engine, strategy) for engine in LIGHT for strategy in STRATEGIES]
    for case, points in sample(cases, _SAMPLE, seed=5):
        arena = Arena(case, tmp_path / str(case))
        kills = [arena.killed_at(point) for point in points]
        assert all(kill.died and kill.same for kill in kills), kills


@pytest.mark.parametrize("strategy", _SAMPLE_ON_SPARK)
def test_a_sample_of_runs_killed_on_spark_end_like_their_twins(
    strategy: str, tmp_path: Path, spark: SparkSession
) -> None:
    arena = Arena(Case("spark", strategy), tmp_path, spark)
    kills = [arena.killed_at(point) for point in _SAMPLE_ON_SPARK[strategy]]
    assert all(kill.died and kill.same for kill in kills), kills
