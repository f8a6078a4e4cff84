"""Every strategy on every engine, killed at every step and at instants that nobody chose."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.scenarios.child import POINTS
from tests.scenarios.kills import (
    FORMATS,
    LIGHT,
    STRATEGIES,
    Arena,
    Case,
    Kill,
    append_report,
    refusal,
    report_file,
    sample,
)

_INSTANTS = 25
_SAMPLE = 3
_ALL = [Case(engine, strategy, kind) for engine in LIGHT for kind in FORMATS for strategy in STRATEGIES]


@pytest.mark.slow
@pytest.mark.parametrize("case", _ALL, ids=str)
def test_whatever_the_instant_a_killed_run_ends_like_its_twin(case: Case, tmp_path: Path) -> None:
    if (told := refusal(case, tmp_path / "refused")) is not None:
        append_report(report_file(), [Kill(case, "refused", died=False, same=True, told=told)])
        return
    arena = Arena(case, tmp_path)
    kills = [arena.killed_at(point) for point in POINTS]
    kills += [arena.killed_after(seconds) for seconds in arena.instants(_INSTANTS)]
    append_report(report_file(), kills)
    assert [kill for kill in kills if not kill.same] == []
    # Only a Delta commit is described before it is made.
    steps = [kill for kill in kills[: len(POINTS)] if case.format == "delta" or kill.where != "writing"]
    assert all(kill.died for kill in steps)


def test_a_sample_of_killed_runs_end_like_their_twins(tmp_path: Path) -> None:
    cases = [Case(engine, strategy) for engine in LIGHT for strategy in STRATEGIES]
    for case, points in sample(cases, _SAMPLE, seed=5):
        arena = Arena(case, tmp_path / str(case))
        kills = [arena.killed_at(point) for point in points]
        assert all(kill.died and kill.same for kill in kills), kills
