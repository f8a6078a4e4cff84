"""Killed at any instant and run again, the tables and the log end as if it had run once."""

from __future__ import annotations

import pytest

from tests.scenarios.child import Errand, at_once, run_and_die
from tests.scenarios.kills import FIRST, SECOND, Case
from tests.scenarios.project import Project


def _first_batch(project: Project, strategy: str) -> None:
    project.file("in/1.csv", FIRST)
    project.run(Case("spark", strategy).contract)


def _killed(project: Project, strategy: str, point: str) -> Project:
    """A project whose second batch was cut off by a kill."""
    _first_batch(project, strategy)
    project.file("in/2.csv", SECOND)
    run_and_die(Errand(str(project.root / "contract.yaml"), "spark", point), project.spark)
    return project


def test_a_run_killed_before_its_first_table_is_there_ends_like_its_twin(project: Project) -> None:
    project.contract(Case("spark", "merge").contract)
    project.file("in/1.csv", FIRST)
    # The third process finds the quarantine written, so its first write is that of the target.
    for point in ("claimed", "quarantined", "quarantined"):
        run_and_die(Errand(str(project.root / "contract.yaml"), "spark", point), project.spark)
    result = project.run()
    assert (result.attempt, project.values("id"), project.values("id", "out_quarantine")) == (4, [1, 2], ["x"])
    assert (project.versions(), project.versions("out_quarantine")) == (1, 1)


def test_files_that_came_after_a_kill_are_read_in_the_same_call(project: Project) -> None:
    _killed(project, "append", "quarantined")
    project.file("in/3.csv", "id,name,day\n5,e,2026-01-05\n")
    result = project.run()
    assert (result.sequence, result.counts.source, result.attempt) == (3, 1, 1)
    assert project.values("id") == [1, 2, 2, 3, 5]
    assert [(row["sequence"], row["attempt"], row["status"]) for row in project.log()] == [
        (1, 1, "succeeded"),
        (2, 2, "succeeded"),
        (3, 1, "succeeded"),
    ]


@pytest.mark.parametrize("point", ["quarantined", "published"])
def test_a_contract_edited_after_a_kill_never_splits_a_batch_between_two_contracts(
    project: Project, point: str
) -> None:
    _killed(project, "append", point)
    stricter = Case("spark", "append").contract.replace("length(name) < 5", "name <> 'c'")
    project.run(stricter)
    ids = (project.values("id"), project.values("id", "out_quarantine"))
    if point == "published":
        # The batch was published under the old rules: it stays, and is recorded.
        assert ids == ([1, 2, 2, 3], ["4", None, "x"])
    else:
        assert ids == ([1, 2, 2, 4], ["3", None, "x"])
    assert [row["counts_good"] for row in project.log() if row["status"] == "succeeded"] == [2, 2]
    assert project.run().status == "no_new_data"


@pytest.mark.parametrize("point", ["quarantined", "published"])
def test_an_input_that_vanished_after_a_kill_leaves_whole_batches_only(project: Project, point: str) -> None:
    _killed(project, "append", point)
    (project.root / "in" / "2.csv").unlink()
    project.file("in/3.csv", "id,name,day\n5,e,2026-01-05\n")
    project.run()
    ids = (project.values("id"), project.values("id", "out_quarantine"))
    if point == "published":
        assert ids == ([1, 2, 2, 3, 5], ["4", None, "x"])
    else:
        assert ids == ([1, 2, 5], ["x"])


def test_force_gives_an_unfinished_run_up_and_reads_everything_anew(project: Project) -> None:
    _killed(project, "overwrite", "quarantined")
    result = project.run(force=True)
    assert (result.sequence, result.attempt, result.counts.source) == (3, 1, 7)
    assert project.values("id") == [1, 2, 2, 3]
    # What the first batch and this run found bad; the rows of the run that was given up are gone.
    assert project.values("id", "out_quarantine") == ["4", None, "x", "x"]


def test_a_batch_of_a_frame_that_was_published_before_a_kill_is_not_appended_again(project: Project) -> None:
    project.contract(Case("spark", "append").contract.replace("source:", "x-source:"))
    frame = project.spark.createDataFrame([("1", "a"), ("x", "b")], "id string, name string")
    project.processor().run(frame, batch_id="b1")
    folder = next((project.root / ".lakelogic" / "runs").iterdir())
    # As if the process had died between its last write and its record.
    (folder / "00000001.done.json").unlink()
    for owner in folder.glob("*.owner-*.json"):
        owner.unlink()
    project.processor().run(frame, batch_id="b2")
    assert project.processor().run(frame, batch_id="b1").status == "no_new_data"
    assert project.values("id") == [1, 1]
    assert project.values("id", "out_quarantine") == ["x", "x"]


def test_two_processes_that_run_one_contract_at_once_write_its_input_once(project: Project) -> None:
    project.contract(Case("spark", "append").contract)
    project.file("in/1.csv", FIRST)
    said = at_once(Errand(str(project.root / "contract.yaml"), "spark"), project.spark)
    assert said in (["busy", "succeeded"], ["no_new_data", "succeeded"])
    assert (project.values("id"), project.values("id", "out_quarantine")) == ([1, 2], ["x"])
    assert project.run().status == "no_new_data"
