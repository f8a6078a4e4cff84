"""The same input is written once, however often and by how many it is asked for."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from lakelogic.errors import GateClosed, RunBusy, SourceError, StateError, UsageError
from lakelogic.state.claims import Claims
from tests.scenarios.project import Project

_CONTRACT = """
    source: {path: in/*.csv}
    model:
      fields:
        - {name: id, type: int, required: true}
        - {name: name, type: string}
    primary_key: [id]
    materialization: {strategy: append, target_path: out}
"""
_INCREMENTAL = _CONTRACT.replace("in/*.csv", "in/*.csv, load_mode: incremental")
_MERGE = _CONTRACT.replace("append", "merge")


@pytest.fixture
def landed(project: Project) -> Project:
    """Two good rows and a bad one have arrived."""
    project.file("in/1.csv", "id,name\n1,a\n2,b\nx,bad\n")
    return project


def test_a_full_load_that_is_appended_twice_is_a_no_op_that_says_so(landed: Project) -> None:
    first = landed.run(_CONTRACT)
    again = landed.run()
    assert again.status == "no_new_data"
    assert (
        again.reason
        == f"this input was committed by run {first.run_id} under the same contract; --force writes it again"
    )
    assert (landed.values("id"), landed.values("id", "out_quarantine")) == ([1, 2], ["x"])
    assert (landed.versions(), landed.versions("out_quarantine")) == (1, 1)

    forced = landed.run(force=True)
    assert (forced.status, forced.counts.good) == ("succeeded", 2)
    assert landed.values("id") == [1, 1, 2, 2]


def test_a_full_load_is_appended_again_when_its_input_or_its_plan_has_changed(landed: Project) -> None:
    landed.run(_CONTRACT)
    assert landed.run(_CONTRACT.replace("model:", "info: {title: The same plan}\n    model:")).status == "no_new_data"
    changed = landed.run(_CONTRACT + "    quality: {row_rules: [{sql: id > 1}]}\n")
    assert (changed.status, changed.counts.good) == ("succeeded", 1)
    landed.file("in/2.csv", "id,name\n3,c\n")
    assert landed.run(_CONTRACT).counts.source == 4


def test_a_frame_always_runs_unless_its_batch_was_committed(landed: Project) -> None:
    landed.contract(_CONTRACT)
    frame = landed.spark.createDataFrame([("1", "a")], "id string, name string")
    assert [landed.processor().run(frame).status for _ in range(2)] == ["succeeded", "succeeded"]
    named = [landed.processor().run(frame, batch_id="b1").status for _ in range(2)]
    assert named == ["succeeded", "no_new_data"]
    assert landed.processor().run(frame, batch_id="b2").status == "succeeded"
    assert landed.values("id") == [1, 1, 1, 1]


def test_something_that_is_no_frame_is_refused(landed: Project) -> None:
    landed.contract(_CONTRACT)
    with pytest.raises(UsageError, match=r"must be a Spark DataFrame, not builtins.list"):
        landed.processor().run([{"id": 1}])
    with pytest.raises(SourceError, match="the frame has columns 'id' and 'ID', which differ in case only"):
        landed.processor().run(landed.spark.sql("SELECT '1' AS id, '2' AS ID"))
    assert landed.versions() is None


def test_an_append_whose_state_was_lost_is_refused_with_the_cure(landed: Project) -> None:
    landed.run(_INCREMENTAL)
    shutil.rmtree(landed.root / ".lakelogic")
    with pytest.raises(StateError, match="was written by run 1 of this contract") as caught:
        landed.run()
    assert caught.value.cure is not None and "--force" in caught.value.cure
    assert landed.values("id") == [1, 2]
    forced = landed.run(force=True)
    assert (forced.sequence, landed.values("id")) == (2, [1, 1, 2, 2])


def test_a_merge_whose_state_was_lost_goes_on_with_higher_numbers(landed: Project) -> None:
    landed.run(_MERGE)
    shutil.rmtree(landed.root / ".lakelogic")
    landed.file("in/2.csv", "id,name\n3,c\n")
    result = landed.run()
    assert result.target is not None
    assert (result.sequence, result.target.inserted, result.target.updated) == (2, 1, 0)
    assert landed.values("id") == [1, 2, 3]


def test_a_state_folder_that_was_set_back_never_loses_rows_in_silence(landed: Project) -> None:
    landed.run(_INCREMENTAL)
    shutil.copytree(landed.root / ".lakelogic", landed.root / "backup")
    landed.file("in/2.csv", "id,name\n3,c\n")
    landed.run()
    shutil.rmtree(landed.root / ".lakelogic")
    (landed.root / "backup").rename(landed.root / ".lakelogic")
    with pytest.raises(StateError, match="was written by run 2 of this contract"):
        landed.run()
    assert landed.values("id") == [1, 2, 3]


def test_a_run_is_busy_while_another_process_is_alive(landed: Project) -> None:
    landed.run(_CONTRACT)
    folder = next((landed.root / ".lakelogic" / "runs").iterdir())
    (folder / "00000001.done.json").unlink()
    with pytest.raises(RunBusy, match="is at work on") as caught:
        landed.run()
    assert caught.value.retry_can_help
    assert landed.values("id") == [1, 2]


def test_a_gate_that_closes_leaves_nothing_held_and_nothing_written(landed: Project) -> None:
    strict = _CONTRACT + "    quarantine: {fail_on_quarantine: true}\n"
    for _ in range(2):
        with pytest.raises(GateClosed, match="1 bad row,"):
            landed.run(strict)
    assert (landed.versions(), landed.versions("out_quarantine")) == (None, None)
    assert landed.run(_CONTRACT).counts.good == 2
    assert [row["status"] for row in landed.log()] == ["failed", "failed", "succeeded"]


def test_the_files_of_a_failed_run_are_read_by_the_next(landed: Project) -> None:
    with pytest.raises(GateClosed):
        landed.run(_INCREMENTAL + "    quarantine: {enabled: false}\n")
    result = landed.run(_INCREMENTAL)
    assert (result.counts.source, result.counts.good) == (3, 2)


_RACER = """
import sys
from pathlib import Path
from lakelogic.errors import RunBusy
from lakelogic.state.claims import Claim, Claims, Pinned
from datetime import UTC, datetime

claims, name = Claims(Path(sys.argv[1])), sys.argv[2]
won = []
sys.stdin.readline()
for sequence in range(1, 51):
    run = f"{name}-{sequence}"
    claim = Claim(sequence, run, run, datetime.now(UTC), "plan", "contract", "reason", "full", Pinned("in", "files"))
    try:
        claims.finish(claims.create(claim), "succeeded")
        won.append(sequence)
    except RunBusy:
        pass
print(*won)
"""


def test_processes_that_race_for_numbers_get_each_number_once(tmp_path: Path) -> None:
    racers = [
        subprocess.Popen(
            [sys.executable, "-c", _RACER, str(tmp_path), f"racer-{number}"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        for number in range(4)
    ]
    for racer in racers:
        assert racer.stdin is not None
        racer.stdin.write("go\n")
        racer.stdin.flush()
    won = [int(number) for racer in racers for number in racer.communicate(timeout=60)[0].split()]
    assert sorted(won) == list(range(1, 51))
    assert [claim.sequence for claim, _ in Claims(tmp_path).committed()] == list(range(1, 51))


def test_an_empty_source_is_said_or_refused_as_the_contract_wants(project: Project, told: list[str]) -> None:
    (project.root / "in").mkdir()
    result = project.run(_CONTRACT)
    assert (result.status, result.exit_code) == ("no_new_data", 0)
    assert told == [f"Nothing new for 'out': no file matches {project.root}/in/*.csv"]
    assert project.versions() is None
    with pytest.raises(SourceError, match=r"no file matches .* and empty_behavior is fail"):
        project.run(_CONTRACT.replace("in/*.csv", "in/*.csv, empty_behavior: fail"))
    (project.root / "in").rmdir()
    assert project.run(_CONTRACT).reason.endswith(f"/in/*.csv, and there is no folder {project.root}/in")
