"""The run log: a row for every run, written by whoever comes."""

from __future__ import annotations

import errno
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path

import pyarrow as pa
import pytest
from deltalake import write_deltalake

from lakelogic.errors import StateError
from lakelogic.state.runlog import RunLog, run_log_schema

_MOMENT = datetime(2026, 3, 28, 12, 0, 1, 250000, tzinfo=UTC)
_APPENDS = """
import sys
from pathlib import Path
from lakelogic.state.runlog import RunLog

log, name = RunLog(Path(sys.argv[1])), sys.argv[2]
sys.stdin.readline()
for number in range(1, 4):
    log.append({"run_id": f"{name}-{number}"}, app_id=name, sequence=number)
"""


def test_a_row_is_read_back_as_it_was_written(tmp_path: Path) -> None:
    log = RunLog(tmp_path)
    assert (log.rows(), log.recorded("c")) == ([], None)
    rule = {"name": "r", "status": "failed", "failed": 2, "category": "validity", "severity": "error", "stage": "pre"}
    log.append({"run_id": "r1", "started_at": _MOMENT, "counts_good": None, "rules": [rule], "unheard_of": 1})
    (row,) = log.rows()
    assert (row["run_id"], row["started_at"], row["counts_good"], row["rules"]) == ("r1", _MOMENT, None, [rule])
    assert list(row) == run_log_schema().names


def test_a_repeated_append_of_a_run_is_a_no_op(tmp_path: Path) -> None:
    log = RunLog(tmp_path)
    for _ in range(2):
        log.append({"run_id": "r1"}, app_id="c", sequence=1)
    log.append({"run_id": "r2"}, app_id="c", sequence=2)
    log.append({"run_id": "late"}, app_id="c", sequence=1)
    log.append({"run_id": "other"}, app_id="d", sequence=1)
    assert sorted(row["run_id"] for row in log.rows()) == ["other", "r1", "r2"]
    assert (log.recorded("c"), log.recorded("d")) == (2, 1)


def test_rows_are_found_by_their_values_oldest_first(tmp_path: Path) -> None:
    log = RunLog(tmp_path)
    for day in (3, 1, 2):
        ended = datetime(2026, 1, day, tzinfo=UTC)
        log.append({"run_id": f"r{day}", "contract": "c" if day < 3 else "d", "ended_at": ended})
    assert [row["run_id"] for row in log.rows()] == ["r1", "r2", "r3"]
    assert [row["run_id"] for row in log.rows(contract="c")] == ["r1", "r2"]
    assert log.rows(["run_id"], contract="d") == [{"run_id": "r3"}]


def test_processes_that_write_the_first_rows_at_once_lose_none(tmp_path: Path) -> None:
    writers = [
        subprocess.Popen(
            [sys.executable, "-c", _APPENDS, str(tmp_path), f"w{number}"], stdin=subprocess.PIPE, text=True
        )
        for number in range(4)
    ]
    for writer in writers:
        assert writer.stdin is not None
        writer.stdin.write("go\n")
        writer.stdin.flush()
    for writer in writers:
        writer.communicate(timeout=120)
    assert [writer.returncode for writer in writers] == [0] * 4
    expected = sorted(f"w{writer}-{number}" for writer in range(4) for number in range(1, 4))
    assert sorted(row["run_id"] for row in RunLog(tmp_path).rows()) == expected


def test_a_log_that_cant_be_written_is_told(tmp_path: Path) -> None:
    (tmp_path / "state").write_text("a file")
    with pytest.raises(StateError, match=r"run log .* can't be written") as caught:
        RunLog(tmp_path / "state").append({"run_id": "r1"})
    assert caught.value.cure
    (tmp_path / "run_log").write_text("a file")
    with pytest.raises(StateError, match="run log"):
        RunLog(tmp_path).append({"run_id": "r1"})


def test_a_damaged_log_is_told(tmp_path: Path) -> None:
    log = RunLog(tmp_path)
    log.append({"run_id": "r1"})
    next((tmp_path / "run_log" / "_delta_log").glob("*.json")).write_text("{")
    with pytest.raises(StateError, match="can't be read") as caught:
        log.rows()
    assert caught.value.cure


def test_a_log_that_is_damaged_newer_or_read_only_is_refused_before_a_run(tmp_path: Path) -> None:
    log = RunLog(tmp_path)
    log.require_usable()
    log.append({"run_id": "r1"})
    log.require_usable()
    newer = pa.table({"format": pa.array([99], pa.int32()), "run_id": ["r2"]})
    write_deltalake(str(log.path), newer, mode="append", schema_mode="merge")
    with pytest.raises(StateError, match="newer version") as caught:
        log.require_usable()
    assert caught.value.cure == "Upgrade lakelogic here."
    next((log.path / "_delta_log").glob("*.json")).write_text("{")
    with pytest.raises(StateError, match="can't be read"):
        log.require_usable()


def test_a_log_on_a_read_only_disk_is_refused_before_a_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    log = RunLog(tmp_path)
    log.append({"run_id": "r1"})

    def refused(**_: object) -> None:
        raise OSError(errno.EROFS, "Read-only file system")

    monkeypatch.setattr("lakelogic.state.runlog.TemporaryFile", refused)
    with pytest.raises(StateError, match=r"can't be written: .*Read-only file system"):
        log.require_usable()


def test_a_log_may_be_asked_about_any_moment(tmp_path: Path) -> None:
    log = RunLog(tmp_path)
    log.append({"run_id": "r1", "started_at": _MOMENT})
    first, last = datetime.min.replace(tzinfo=UTC), datetime.max.replace(tzinfo=UTC)
    assert len(log.arrow(since=first, until=last)) == 1
    assert len(log.arrow(since=last)) == 0


@pytest.mark.parametrize("kept", [None, 0, 1000])
def test_a_log_with_a_file_that_is_gone_or_cut_off_names_it(tmp_path: Path, kept: int | None) -> None:
    log = RunLog(tmp_path)
    log.append({"run_id": "r1"})
    (file,) = log.path.glob("*.parquet")
    content = file.read_bytes()
    file.unlink()
    if kept is not None:
        file.write_bytes(content[:kept])
    with pytest.raises(StateError) as caught:
        log.rows()
    assert (
        caught.value.message
        == f"the run log {log.path} can't be read: its file {file.name} is damaged, gone, or may not be read."
    )
    assert caught.value.cure == "Restore it, or move it away."
