"""Two projects that write one target at the same time: what conflicts is worked out anew, or told."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from lakelogic import DataProcessor
from lakelogic.engines.base import Committed
from lakelogic.errors import WriteConflict, WriteError
from lakelogic.run import publishing
from tests.scenarios.project import Project

_CONTRACT = """
    dataset: {name}
    source: {{path: {name}.csv}}
    model: {{fields: [{{name: id, type: int, required: true}}, {{name: n, type: int}}]}}
    primary_key: [id]
    quarantine: {{target: bad}}
    materialization: {{strategy: merge, target_path: ../out}}
"""
_WRITERS = ("first", "second", "third")


def _write_at_once(project: Project, **options: object) -> list[tuple[int, int]]:
    """Each writer updates the row that all share, and inserts one of its own, three times."""
    for number, name in enumerate(_WRITERS):
        # Within one project the target would be locked.
        project.contract(_CONTRACT.format(name=name), f"{name}/contract.yaml")
        project.file(f"{name}/{name}.csv", f"id,n\n0,{number}\n{number + 1},{number}\n")

    def run(name: str) -> None:
        for _ in range(3):
            DataProcessor(project.root / name / "contract.yaml", **options).run(force=True)  # type: ignore[arg-type]

    run(_WRITERS[0])
    with ThreadPoolExecutor(len(_WRITERS)) as pool:
        list(pool.map(run, _WRITERS))
    return [(row["id"], row["n"]) for row in project.rows()]


def test_writers_of_one_target_lose_nothing(tmp_path: Path) -> None:
    rows = _write_at_once(Project(tmp_path, None), engine="duckdb")  # type: ignore[arg-type]
    assert [row for row in rows if row[0]] == [(1, 0), (2, 1), (3, 2)]
    assert [key for key, _ in rows].count(0) == 1


@pytest.mark.slow
def test_writers_of_one_target_lose_nothing_on_spark(project: Project) -> None:
    rows = _write_at_once(project, spark=project.spark)
    assert [row for row in rows if row[0]] == [(1, 0), (2, 1), (3, 2)]
    assert [key for key, _ in rows].count(0) == 1


class Busy:
    """A write that others are in the way of, for some time."""

    def __init__(self, times: int) -> None:
        self.left = times

    def __call__(self) -> Committed:
        self.left -= 1
        if self.left >= 0:
            raise WriteConflict("can't write out: another writer was there.", cure="Run again.")
        return Committed("out", 1, 1)


def test_a_write_waits_for_others_and_gives_up_at_last(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tenacity.nap.time.sleep", lambda seconds: None)
    assert publishing.patiently(Busy(3)).version == 1
    endless = Busy(1000)
    with pytest.raises(WriteConflict, match="another writer"):
        publishing.patiently(endless)
    assert endless.left == 1000 - publishing._ATTEMPTS


def test_what_no_retry_can_help_is_told_at_once() -> None:
    calls = []

    def broken() -> Committed:
        calls.append(1)
        raise WriteError("can't write out: disk full.")

    with pytest.raises(WriteError, match="disk full"):
        publishing.patiently(broken)
    assert len(calls) == 1
