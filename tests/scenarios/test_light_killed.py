"""Killed at any instant and run again without Spark, the tables and the log end as if it had run once."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.scenarios.child import NEVER, Errand, at_once, run_and_die
from tests.scenarios.kills import FIRST, Case
from tests.scenarios.light import LightProject, light_project


@pytest.fixture
def project(tmp_path: Path) -> LightProject:
    return light_project(tmp_path / "project")


def _errand(project: LightProject, point: str = NEVER) -> Errand:
    return Errand(str(project.root / "contract.yaml"), project.engine, point)


def test_a_run_killed_before_its_first_table_is_there_ends_like_its_twin(project: LightProject) -> None:
    project.contract(Case("duckdb", "merge").contract)
    project.file("in/1.csv", FIRST)
    for point in ("claimed", "quarantined", "quarantined"):
        run_and_die(_errand(project, point))
    result = project.run()
    assert (result.attempt, project.values("id"), project.values("id", "out_quarantine")) == (4, [1, 2], ["x"])
    assert (project.versions(), project.versions("out_quarantine")) == (1, 1)


def test_two_processes_that_run_one_contract_at_once_write_its_input_once(project: LightProject) -> None:
    project.contract(Case("duckdb", "append").contract)
    project.file("in/1.csv", FIRST)
    said = at_once(_errand(project))
    assert said in (["busy", "succeeded"], ["no_new_data", "succeeded"])
    assert (project.values("id"), project.values("id", "out_quarantine")) == ([1, 2], ["x"])
    assert project.run().status == "no_new_data"
