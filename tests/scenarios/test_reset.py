"""A reset forgets what was read and nothing else; a reload ends like a first run."""

from __future__ import annotations

from pathlib import Path

import pytest

from lakelogic.cli.main import main
from lakelogic.errors import RunBusy
from tests.scenarios.child import Errand, run_and_die
from tests.scenarios.light import LightProject, light_project
from tests.scenarios.project import Project

_CONTRACT = """
    source: {path: in/*.csv, load_mode: incremental}
    model: {fields: [{name: id, type: int, required: true}]}
    primary_key: [id]
    materialization: {strategy: append, target_path: silver/out}
"""


@pytest.fixture
def landed(tmp_path: Path) -> LightProject:
    project = light_project(tmp_path)
    project.file("in/1.csv", "id\n1\n2\nx\n")
    project.run(_CONTRACT)
    return project


def _tables(project: Project) -> tuple[list[int], list[str]]:
    return project.values("id", "silver/out"), project.values("id", "silver/out_quarantine")


def test_after_a_reset_everything_is_read_again_under_higher_numbers(landed: LightProject) -> None:
    landed.processor().reset()
    result = landed.run()
    assert (result.status, result.sequence, result.counts.good) == ("succeeded", 3, 2)
    assert _tables(landed) == ([1, 1, 2, 2], ["x", "x"])
    assert [(row["sequence"], row["mode"]) for row in landed.log()] == [
        (1, "incremental"),
        (2, "reset"),
        (3, "incremental"),
    ]
    assert landed.run().status == "no_new_data"


def test_a_reset_that_empties_and_a_run_end_like_the_first_run(landed: LightProject) -> None:
    before = _tables(landed)
    result = landed.processor().reset(empty=True)
    assert result.target is not None and result.quarantine is not None
    assert _tables(landed) == ([], [])
    assert landed.run().counts.good == 2
    assert _tables(landed) == before


@pytest.mark.parametrize("point", ["claimed", "quarantined", "published", "logged"])
def test_a_killed_reset_is_finished_by_the_next_run(landed: LightProject, point: str) -> None:
    before = _tables(landed)
    run_and_die(Errand(str(landed.root / "contract.yaml"), "duckdb", point, "reset"))
    landed.run()
    assert _tables(landed) == before
    assert [row["mode"] for row in landed.log()] == ["incremental", "reset", "incremental"]


def test_a_reset_gives_up_a_run_that_was_cut_off(landed: LightProject) -> None:
    landed.file("in/2.csv", "id\n3\ny\n")
    run_and_die(Errand(str(landed.root / "contract.yaml"), "duckdb", "quarantined"))
    landed.processor().reset(empty=True)
    assert landed.run().counts.source == 5
    assert _tables(landed) == ([1, 2, 3], ["x", "y"])


def test_a_reset_waits_for_nobody(landed: LightProject) -> None:
    folder = next((landed.root / ".lakelogic" / "runs").iterdir())
    (folder / "00000001.done.json").unlink()
    with pytest.raises(RunBusy, match="is at work on"):
        landed.processor().reset()
    assert _tables(landed) == ([1, 2], ["x"])


def test_the_command_line_resets_and_reloads_a_layer(landed: LightProject, capsys: pytest.CaptureFixture[str]) -> None:
    root = str(landed.root)
    assert main(["reset", root, "--layer", "gold", "--yes"]) == 2
    assert "There is: silver" in capsys.readouterr().err
    assert main(["reset", root]) == 2
    assert "Pass --yes" in capsys.readouterr().err
    assert main(["reset", root, "--layer", "silver", "--yes", "--engine", "duckdb"]) == 0
    assert "The tables keep their rows" in capsys.readouterr().out
    assert main(["reload", root, "--yes", "--engine", "duckdb"]) == 0
    assert "3 rows read, 2 good, 1 bad" in capsys.readouterr().out
    assert _tables(landed) == ([1, 2], ["x"])


def test_a_reload_on_spark_ends_like_the_first_run(project: Project) -> None:
    project.file("in/1.csv", "id\n1\nx\n")
    project.run(_CONTRACT)
    project.processor().reset(empty=True)
    assert project.run().counts.good == 1
    assert _tables(project) == ([1], ["x"])
