"""A run that reads what is new and is killed: the next one reads the very same rows, then what has come since."""

from __future__ import annotations

from pathlib import Path

import pytest
from deltalake import DeltaTable

from tests.scenarios.child import Errand, run_and_die
from tests.scenarios.light import light_project
from tests.scenarios.project import Project
from tests.scenarios.test_incremental import commit, contract


@pytest.fixture
def project(tmp_path: Path) -> Project:
    return light_project(tmp_path)


@pytest.mark.parametrize(
    ("more", "point"), [("watermark_field: at", "claimed"), ("watermark_field: at", "published"), ("", "claimed")]
)
def test_rows_that_came_after_a_kill_are_read_after_those_that_came_before(
    project: Project, more: str, point: str
) -> None:
    commit(project, [(1, 1)])
    project.run(contract(more))
    commit(project, [(2, 2)])
    run_and_die(Errand(str(project.root / "contract.yaml"), point=point))
    commit(project, [(3, 3), (4, 4)])
    project.run()
    assert project.values("id") == [1, 2, 3, 4]
    assert [row["counts_source"] for row in project.log() if row["status"] == "succeeded"] == [1, 1, 2]
    assert project.run().status == "no_new_data"


@pytest.mark.parametrize("point", ["logged", "closed"])
def test_files_whose_run_was_killed_are_archived_by_the_next(project: Project, point: str) -> None:
    archived = contract().replace(
        "path: src, type: delta", "path: in, format: csv, post_ingestion: {action: archive, archive_path: kept}"
    )
    project.contract(archived)
    project.file("in/1.csv", "id\n1\n")
    run_and_die(Errand(str(project.root / "contract.yaml"), point=point))
    assert (project.root / "in/1.csv").exists()
    assert project.run().status == ("no_new_data" if point == "closed" else "succeeded")
    assert ((project.root / "in/1.csv").exists(), (project.root / "kept/1.csv").exists()) == (False, True)
    assert project.values("id") == [1]
    assert project.run().reason.startswith("no file matches")


def test_rows_that_were_lost_in_the_target_come_back_with_their_slice(project: Project) -> None:
    commit(project, [(1, 1), (2, 2)])
    text = contract("watermark_field: at").replace("target_path: out", "target_path: out, reprocess_date_column: at")
    project.run(text)
    DeltaTable(str(project.root / "out")).delete("id = 1")
    result = project.processor().run_source(reprocess_from="2026-01-01", reprocess_to="2026-01-01")
    assert (result.counts.source, project.values("id")) == (2, [1, 2])
    assert project.run().status == "no_new_data"
