"""Killed at any instant and run again without Spark, the tables and the log end as if it had run once."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path
from threading import Timer

import pytest

from lakelogic.errors import RunBusy
from lakelogic.state.locks import target_lock
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


def test_a_second_driver_waits_as_long_as_it_is_told(project: LightProject) -> None:
    project.contract(Case("duckdb", "append").contract)
    project.file("in/1.csv", FIRST)
    state, target = project.root / ".lakelogic", str(project.root / "out")
    with target_lock(state, target, "another"):
        with pytest.raises(RunBusy, match="by a run of 'another', which is at work on"):
            project.processor().run_source()
        assert not (project.root / "out").exists()
    held = ExitStack()
    held.enter_context(target_lock(state, target, "another"))
    release = Timer(1.0, held.close)
    release.start()
    assert project.processor().run_source(wait=60).status == "succeeded"
    release.join()


def test_two_contracts_with_one_target_are_written_one_after_the_other(project: LightProject) -> None:
    project.file("in/1.csv", FIRST)
    for name in ("a", "b"):
        text = Case("duckdb", "append").contract.replace("source:", f"dataset: {name}\n    source:")
        project.contract(text, f"{name}.yaml")
    with ThreadPoolExecutor() as pool:
        runs = [pool.submit(project.processor(f"{name}.yaml").run_source, wait=120) for name in ("a", "b")]
    assert [run.result().status for run in runs] == ["succeeded", "succeeded"]
    assert (project.values("id"), project.versions()) == ([1, 1, 2, 2], 2)
