"""A target has one writer at a time."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from lakelogic.errors import RunBusy
from lakelogic.state.locks import target_lock


def _files(state: Path) -> list[str]:
    return sorted(path.name for path in state.rglob("*.json"))


def test_another_contract_that_writes_the_target_is_refused_by_name(tmp_path: Path) -> None:
    with (
        target_lock(tmp_path, "/out", "orders"),
        pytest.raises(RunBusy, match="/out is being written by a run of 'orders', which is at work on"),
        target_lock(tmp_path, "/out", "returns"),
    ):
        pass
    with target_lock(tmp_path, "/out", "returns"):
        pass


def test_other_targets_are_not_locked(tmp_path: Path) -> None:
    with target_lock(tmp_path, "/out", "orders"), target_lock(tmp_path, "/other", "orders"):
        pass


def test_a_lock_whose_holder_is_gone_is_taken_over(tmp_path: Path) -> None:
    with target_lock(tmp_path, "/out", "orders"):
        [held] = tmp_path.rglob("*.json")
        held.write_text(json.dumps({**json.loads(held.read_text()), "pid": 2**22 + 1, "began": "1"}))
        with target_lock(tmp_path, "/out", "returns"):
            assert _files(tmp_path) == ["00000002.json"]


def test_locks_leave_one_small_file(tmp_path: Path) -> None:
    for _ in range(3):
        with target_lock(tmp_path, "/out", "orders"):
            pass
    assert _files(tmp_path) == ["00000003.json"]
