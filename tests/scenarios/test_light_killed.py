"""Killed at any instant and run again without Spark, the tables and the log end as if it had run once."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.scenarios.light import LightProject, light_project
from tests.scenarios.light_child import run_and_die, start
from tests.scenarios.test_killed import _CONTRACT, _FIRST, _SECOND

_STRATEGIES = ("append", "overwrite", "merge")
_POINTS = ("claimed", "quarantined", "writing", "published", "logged")
_FAST = {("append", "published"), ("merge", "writing"), ("overwrite", "quarantined")}
_CASES = [
    pytest.param(strategy, point, marks=() if (strategy, point) in _FAST else pytest.mark.slow)
    for strategy in _STRATEGIES
    for point in _POINTS
]


@pytest.fixture
def project(tmp_path: Path) -> LightProject:
    return light_project(tmp_path / "project")


def _first_batch(project: LightProject, strategy: str) -> None:
    project.file("in/1.csv", _FIRST)
    project.run(_CONTRACT.format(strategy=strategy))
    project.file("in/2.csv", _SECOND)


@pytest.mark.parametrize(("strategy", "point"), _CASES)
def test_a_killed_run_ends_like_its_twin(project: LightProject, tmp_path: Path, strategy: str, point: str) -> None:
    twin = light_project(tmp_path / "twin")
    _first_batch(twin, strategy)
    twin.run()
    _first_batch(project, strategy)
    run_and_die(project.root / "contract.yaml", point)
    result = project.run()
    assert (result.status, result.attempt, result.counts.source) == ("succeeded", 2, 4)
    assert project.contents() == twin.contents()
    assert project.run().status == "no_new_data"


def test_a_run_killed_before_its_first_table_is_there_ends_like_its_twin(project: LightProject) -> None:
    project.contract(_CONTRACT.format(strategy="merge"))
    project.file("in/1.csv", _FIRST)
    for point in ("claimed", "quarantined", "quarantined"):
        run_and_die(project.root / "contract.yaml", point)
    result = project.run()
    assert (result.attempt, project.values("id"), project.values("id", "out_quarantine")) == (4, [1, 2], ["x"])
    assert (project.versions(), project.versions("out_quarantine")) == (1, 1)


@pytest.mark.slow
@pytest.mark.parametrize("seconds", [round(0.05 * step, 2) for step in range(1, 21)])
def test_a_run_killed_at_any_instant_is_finished_once(project: LightProject, seconds: float) -> None:
    project.contract(_CONTRACT.format(strategy="append"))
    project.file("in/1.csv", _FIRST)
    child = start(str(project.root / "contract.yaml"), "later", str(seconds))
    child.communicate("go\n", timeout=300)
    project.run()
    assert (project.values("id"), project.values("id", "out_quarantine")) == ([1, 2], ["x"])
    assert [row["counts_good"] for row in project.log() if row["status"] == "succeeded"] == [2]


def test_two_processes_that_run_one_contract_at_once_write_its_input_once(project: LightProject) -> None:
    project.contract(_CONTRACT.format(strategy="append"))
    project.file("in/1.csv", _FIRST)
    children = [start(str(project.root / "contract.yaml"), "never") for _ in range(2)]
    for child in children:
        assert child.stdin is not None
        child.stdin.write("go\n")
        child.stdin.flush()
    ended = [child.communicate(timeout=300) for child in children]
    said = sorted(output.strip() for output, _ in ended)
    assert said in (["busy", "succeeded"], ["no_new_data", "succeeded"]), ended
    assert (project.values("id"), project.values("id", "out_quarantine")) == ([1, 2], ["x"])
    assert project.run().status == "no_new_data"
