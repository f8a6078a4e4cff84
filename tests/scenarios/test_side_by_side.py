"""Several contracts, several sessions, several projects: nobody disturbs anybody."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pyarrow as pa
import pytest
from deltalake import write_deltalake

from lakelogic.engines.base import Stamp
from lakelogic.engines.spark import factory
from lakelogic.engines.spark.engine import SparkEngine
from lakelogic.errors import WriteError
from lakelogic.plan.model import TablePlan
from lakelogic.write.operations import AppendRows
from tests.scenarios.child import Errand, run_and_die
from tests.scenarios.project import Project

_CONTRACT = """
    source: {{path: in/*.csv, load_mode: incremental}}
    model: {{fields: [{{name: id, type: int, required: true}}]}}
    primary_key: [id]
    materialization: {{strategy: merge, target_path: {target}}}
"""


def test_contracts_of_one_project_run_side_by_side_in_threads(project: Project) -> None:
    project.file("in/1.csv", "id\n1\nx\n")
    names = [f"c{number}" for number in range(3)]
    for name in names:
        project.contract(_CONTRACT.format(target=name), f"{name}.yaml")

    def run(name: str) -> list[str]:
        return [project.processor(f"{name}.yaml").run().status for _ in range(2)]

    with ThreadPoolExecutor(max_workers=3) as pool:
        assert list(pool.map(run, names)) == [["succeeded", "no_new_data"]] * 3
    assert [project.values("id", name) for name in names] == [[1]] * 3
    assert len(project.log()) == 6


def test_a_plan_reads_and_writes_nothing_that_stays(project: Project) -> None:
    project.file("in/1.csv", "id\n1\n")
    project.contract(_CONTRACT.format(target="planned.things"))
    before = sorted(project.root.rglob("*"))
    plan = project.processor().plan()
    assert (plan.target.location, plan.read.mode) == ("planned.things", "incremental")
    assert sorted(project.root.rglob("*")) == before
    assert not project.spark.catalog.databaseExists("planned")


@pytest.fixture
def own_session(project: Project, monkeypatch: pytest.MonkeyPatch) -> Project:
    """The session counts as one that the product has started for itself."""
    monkeypatch.setattr(factory, "_ours", [id(project.spark)])
    return project


@pytest.mark.parametrize("target", ["silver.mine", "catalog.silver.mine"])
def test_names_in_a_session_of_our_own_are_folders_of_each_project(own_session: Project, target: str) -> None:
    projects = [Project(own_session.root / name, own_session.spark) for name in ("one", "two")]
    for number, project in enumerate(projects):
        project.file("in/1.csv", f"id\n{number}\nx\n")
        project.run(_CONTRACT.format(target=target))
        project.file("in/2.csv", f"id\n{number + 10}\n")
        assert project.run().counts.good == 1
        assert project.run().status == "no_new_data"
    folder = "warehouse/silver.db/mine" if target.count(".") == 1 else "warehouse/catalog/silver/mine"
    assert [project.values("id", folder) for project in projects] == [[0, 10], [1, 11]]
    reader = f"source: {{path: {target}}}\nmaterialization: {{target_path: copy}}\n"
    projects[1].run(reader)
    assert projects[1].values("id", "copy") == [1, 11]
    own_session.spark.sql("DROP SCHEMA IF EXISTS silver CASCADE")


def test_a_write_that_delta_drops_in_silence_is_an_error(project: Project) -> None:
    engine = SparkEngine(project.spark, None)
    table = TablePlan(str(project.root / "out"), False, "append", AppendRows())
    frame = engine.session.range(2)
    engine.write(table, frame, Stamp("app", 5, "r5", "plan", "input"))
    again = engine.write(table, frame, Stamp("app", 5, "r5", "plan", "input"))
    assert (again.version, project.versions()) == (0, 1)
    with pytest.raises(WriteError, match="did not take the rows of run r4") as caught:
        engine.write(table, frame, Stamp("app", 4, "r4", "plan", "input"))
    assert caught.value.cure
    assert (engine.last_sequence(table, "app"), project.values("id")) == (5, [0, 1])


def test_a_table_that_moved_on_after_a_kill_is_read_at_its_pinned_version(project: Project) -> None:
    source = str(project.root / "in")
    write_deltalake(source, pa.table({"id": [1]}))
    project.contract("source: {path: in, type: delta}\nmaterialization: {target_path: out}\n")
    run_and_die(Errand(str(project.root / "contract.yaml"), "spark", "claimed"), project.spark)
    write_deltalake(source, pa.table({"id": [2]}), mode="append")
    project.run()
    assert [row["counts_source"] for row in project.log()] == [1, 2]
    assert project.values("id") == [1, 1, 2]


def test_a_state_folder_may_be_shared_and_lie_elsewhere(
    project: Project, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("LAKELOGIC_STATE", str(tmp_path / "elsewhere"))
    project.file("in/1.csv", "id\n1\n")
    project.run(_CONTRACT.format(target="out"))
    assert not (project.root / ".lakelogic").exists()
    assert project.run().status == "no_new_data"
