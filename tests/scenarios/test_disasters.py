"""A full disk, places that can't be written, tables and files that vanish: nothing is half written, and it is said."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from lakelogic.engines.duckdb.engine import DuckDBEngine
from lakelogic.engines.spark.engine import SparkEngine
from lakelogic.errors import LakeLogicError, WriteError
from lakelogic.run.begin import Beginning
from tests.scenarios.light import light_project
from tests.scenarios.project import Project

CONTRACT = """
source: {path: in/*.csv, load_mode: incremental}
model: {fields: [{name: id, type: int, required: true}]}
materialization: {target_path: out, format: %s}
"""
# A file larger than this can't be written: what a process sees of a full disk.
_SMALL = """
import resource, signal, sys
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (%d, %d))
from lakelogic.cli.main import main
raise SystemExit(main(["run", *sys.argv[1:]]))
"""
_ENGINES: dict[str, type[Any]] = {"duckdb": DuckDBEngine, "spark": SparkEngine}


@pytest.fixture(params=["duckdb", pytest.param("spark", marks=pytest.mark.slow)])
def engine(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def project(tmp_path: Path, engine: str, request: pytest.FixtureRequest) -> Project:
    found = light_project(tmp_path) if engine == "duckdb" else Project(tmp_path, request.getfixturevalue("spark"))
    found.file("in/1.csv", "id,name\n" + "".join(f"{i},{hash(i * 7919)}-{i * 31}\n" for i in range(20_000)))
    return found


@pytest.mark.parametrize("kind", ["delta", "parquet", "iceberg"])
def test_a_full_disk_leaves_no_rows_and_the_next_run_writes_them_once(project: Project, kind: str, engine: str) -> None:
    contract = project.contract(CONTRACT % kind)
    size = 60_000
    command = [sys.executable, "-c", _SMALL % (size, size), str(contract), "--engine", engine]
    child = subprocess.run(command, capture_output=True, text=True, check=False)
    assert child.returncode == 1, child.stderr
    assert "can't write" in child.stderr and "Traceback" not in child.stderr
    result = project.run()
    assert (result.status, result.counts.good) == ("succeeded", 20_000)
    assert project.run().status == "no_new_data"


def test_a_quarantine_that_can_not_be_written_stops_the_run_before_the_target(project: Project) -> None:
    project.file("in/1.csv", "id,name\n1,a\n,b\n")
    project.file("out_quarantine", "a file where the table should be")
    with pytest.raises(WriteError, match="out_quarantine"):
        project.run(CONTRACT % "delta")
    assert not (project.root / "out").exists()
    (project.root / "out_quarantine").unlink()
    assert project.run().counts.quarantined == 1
    assert project.values("id") == [1]


@pytest.mark.parametrize("kind", ["delta", "parquet"])
def test_a_target_that_is_dropped_between_plan_and_write_is_made_anew(
    project: Project, monkeypatch: pytest.MonkeyPatch, kind: str, engine: str
) -> None:
    project.file("in/1.csv", "id,name\n1,a\n")
    project.run(CONTRACT % kind)
    project.file("in/2.csv", "id,name\n2,b\n")
    write = _ENGINES[engine].write

    def dropping(self: Any, *arguments: Any) -> Any:
        shutil.rmtree(project.root / "out", ignore_errors=True)
        return write(self, *arguments)

    monkeypatch.setattr(_ENGINES[engine], "write", dropping)
    result = project.run()
    assert result.target is not None and result.target.rows == 1


@pytest.mark.parametrize("content", [None, "id,name\n5,e\n6,f\n"])
def test_a_file_that_vanishes_or_changes_while_it_is_read_moves_no_watermark(
    project: Project, monkeypatch: pytest.MonkeyPatch, content: str | None
) -> None:
    file = project.file("in/1.csv", "id,name\n1,a\n")
    claim = Beginning.claim

    def vanishing(self: Beginning, *arguments: Any) -> Any:
        found = claim(self, *arguments)
        file.unlink()
        if content is not None:
            file.write_text(content)
        return found

    with monkeypatch.context() as patched:
        patched.setattr(Beginning, "claim", vanishing)
        try:
            project.run(CONTRACT % "delta")
        except LakeLogicError as error:
            assert error.exit_code == 1
        else:
            pytest.fail("the run has not noticed")
    project.file("in/1.csv", content or "id,name\n7,g\n")
    project.run()
    assert project.values("id") == ([5, 6] if content else [7])


def test_a_log_that_a_failed_write_left_without_commits_is_no_table(project: Project) -> None:
    project.file("in/1.csv", "id,name\n1,a\n")
    (project.root / "out" / "_delta_log").mkdir(parents=True)
    assert project.run(CONTRACT % "delta").counts.good == 1
    assert project.values("id") == [1]
