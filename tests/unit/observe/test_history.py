"""The runs that there were, read from the log."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from lakelogic.errors import UsageError
from lakelogic.observe.history import History, Wanted
from lakelogic.state.runlog import RunLog
from tests.unit.observe.conftest import NOON, Add


def ids(history: History, wanted: Wanted | None = None, **more: Any) -> list[str]:
    return [run.run_id for run in history.runs(wanted, **more).runs]


def test_a_folder_without_a_log_has_no_runs(tmp_path: Path) -> None:
    history = History(tmp_path)
    assert (history.runs().runs, history.runs().total, history.last_runs()) == ((), 0, ())
    assert history.rule_history("orders") == ()
    with pytest.raises(UsageError, match="no run r1 is in the log") as caught:
        history.run("r1")
    assert caught.value.cure == "`lakelogic runs` lists them."


def test_the_newest_runs_come_first_and_all_are_counted(tmp_path: Path, add: Add) -> None:
    for number in (3, 1, 4, 2):
        add(f"r{number}", number)
    history = History(tmp_path)
    assert ids(history, limit=2) == ["r4", "r3"]
    assert ids(history, limit=2, offset=1) == ["r3", "r2"]
    assert ids(history, limit=9, offset=3) == ["r1"]
    assert history.runs(limit=2).total == 4


@pytest.mark.parametrize(
    ("wanted", "expected"),
    [
        (Wanted(contract="orders"), ["r3", "r1"]),
        (Wanted(contract="o'rders"), []),
        (Wanted(status="failed"), ["r3"]),
        (Wanted(layer="silver"), ["r2"]),
        (Wanted(engine="spark"), ["r2"]),
        (Wanted(pipeline_run_id="p1"), ["r3", "r2"]),
        (Wanted(since=NOON + timedelta(minutes=2)), ["r3", "r2"]),
        (Wanted(until=NOON + timedelta(minutes=2)), ["r1"]),
        (Wanted(contract="orders", since=NOON + timedelta(minutes=2)), ["r3"]),
    ],
)
def test_runs_are_found_by_what_is_asked(tmp_path: Path, add: Add, wanted: Wanted, expected: list[str]) -> None:
    add("r1", 1)
    add("r2", 2, "items", layer="silver", engine="spark", pipeline_run_id="p1")
    add("r3", 3, status="failed", pipeline_run_id="p1")
    history = History(tmp_path)
    assert ids(history, wanted) == expected
    assert history.runs(wanted, limit=1).total == len(expected)


def test_a_run_is_found_by_its_id_or_how_that_ends(tmp_path: Path, add: Add) -> None:
    add("20260328T1201Z-aa11", 1, report=json.dumps({"exit_code": 1}))
    add("20260328T1202Z-bb11", 2)
    history = History(tmp_path)
    assert history.run("20260328T1201Z-aa11").report == {"exit_code": 1}
    assert history.run("bb11").run.run_id == "20260328T1202Z-bb11"
    assert history.run("bb11").report == {}
    with pytest.raises(UsageError, match="2 runs end with '11'"):
        history.run("11")
    with pytest.raises(UsageError) as caught:
        history.run("20260328T1201Z-aa12")
    assert caught.value.cure == "Did you mean '20260328T1201Z-aa11'?"
    with pytest.raises(UsageError):
        history.run("")


def test_a_run_that_was_resumed_is_told_by_its_last_attempt(tmp_path: Path, add: Add) -> None:
    add("r1", 1, status="failed", attempt=1, ended_at=NOON + timedelta(minutes=1))
    add("r1", 1, attempt=2, ended_at=NOON + timedelta(minutes=9))
    history = History(tmp_path)
    assert (history.run("r1").run.attempt, history.run("r1").run.status) == (2, "succeeded")
    assert [run.attempt for run in history.last_runs()] == [2]


def test_the_last_run_of_each_contract_and_layer(tmp_path: Path, add: Add) -> None:
    add("r1", 1)
    add("r2", 2, "items")
    add("r3", 3, layer="silver")
    add("r4", 4, "items", status="failed")
    history = History(tmp_path)
    assert [run.run_id for run in history.last_runs()] == ["r4", "r3", "r1"]
    assert [run.run_id for run in history.last_runs(Wanted(status="succeeded"))] == ["r3", "r2", "r1"]


def test_the_history_of_a_rule_has_a_point_for_each_run(tmp_path: Path, add: Add) -> None:
    def rules(failed: int) -> list[dict[str, Any]]:
        status = "failed" if failed else "passed"
        return [{"name": "id_required", "status": status, "failed": failed}, {"name": "other", "status": "passed"}]

    for number in (1, 2, 3):
        unique = [{"name": "id_unique", "status": "passed", "value": float(number)}]
        add(f"r{number}", number, rules=rules(number - 1), dataset_rules=unique, counts_source=10)
    history = History(tmp_path)
    found = history.rule_history("orders", "id_required", limit=2)
    assert [(point.run_id, point.rule.failed, point.rule.status) for point in found] == [
        ("r3", 2, "failed"),
        ("r2", 1, "failed"),
    ]
    assert [point.rule.value for point in history.rule_history("orders", "id_unique")] == [3.0, 2.0, 1.0]
    assert len(history.rule_history("orders")) == 9


def test_many_small_files_are_put_together_and_nothing_is_lost(
    tmp_path: Path, add: Add, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("lakelogic.state.runlog._MANY_FILES", 4)
    log = RunLog(tmp_path)
    log.tidy()
    for number in range(4):
        log.tidy()
        add(f"r{number}", number, rules=[{"name": "a", "status": "passed", "failed": 0}])
    log.append({"run_id": "r4"}, app_id="c", sequence=7)
    log.tidy()
    files = list((tmp_path / "run_log").glob("*.parquet"))
    assert log.rows(["run_id"]) and sorted(row["run_id"] for row in log.rows()) == [f"r{n}" for n in range(5)]
    assert log.recorded("c") == 7
    # The files of before stay for a week, for whoever reads them.
    assert len(files) == 6
    assert len(log._table().file_uris()) == 1  # type: ignore[union-attr]


def test_several_runs_are_told_at_once(tmp_path: Path, add: Add) -> None:
    for number in (1, 2, 3):
        add(f"r{number}", number, report=json.dumps({"exit_code": number}))
    found = History(tmp_path).details(["r1", "r3", "none"])
    assert {run_id: detail.report for run_id, detail in found.items()} == {
        "r1": {"exit_code": 1},
        "r3": {"exit_code": 3},
    }
    assert History(tmp_path).details([]) == {}


def test_scores_of_the_newest_runs_come_oldest_first(tmp_path: Path, add: Add) -> None:
    for number, score in ((1, 70.0), (3, 90.0), (2, 80.0)):
        add(f"r{number}", number, quality_score=score)
    add("r4", 4, mode="drop")
    add("r5", 5, status="failed", quality_score=1.0)
    add("r6", 6, "items", quality_score=5.0)
    assert History(tmp_path).scores(2) == {"orders": (80.0, 90.0), "items": (5.0,)}


def test_runs_that_end_at_once_may_all_put_files_together(
    tmp_path: Path, add: Add, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("lakelogic.state.runlog._MANY_FILES", 3)

    def work(worker: int) -> None:
        for number in range(4):
            add(f"r{worker}{number}", number)
            RunLog(tmp_path).tidy()

    add("r", 0)
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(work, range(4)))
    found = sorted(row["run_id"] for row in RunLog(tmp_path).rows(["run_id", "ended_at"]))
    assert found == ["r", *(f"r{worker}{number}" for worker in range(4) for number in range(4))]
