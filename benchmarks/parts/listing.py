"""Telling new files from old ones among very many, and a run that finds nothing new."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.orders import WORK
from benchmarks.processes import Measured, Tell, answer_with
from benchmarks.session import settings, start
from benchmarks.ways import emptied

if TYPE_CHECKING:
    from lakelogic.run.begin import Beginning

_FOLDERS = 100
_NEW = 10
_CONTRACT = """
source: {{path: {path}, format: {format}, load_mode: incremental}}
model: {{fields: [{{name: id, type: bigint, required: true}}]}}
materialization: {{target_path: out}}
"""


def measure(files: int, repeat: int, tell: Tell) -> Measured:
    """Seconds to list the files and to find the few new ones, and of second runs on a warm session."""
    folder = emptied(WORK / "out" / "listing")
    found: Measured = {"files": files, "diff_seconds": _diffs(folder, files, repeat)}
    tell(found)
    found["nothing_new_seconds"] = {kind: _second_runs(folder / kind, kind, repeat) for kind in ("csv", "delta")}
    return found


def _diffs(folder: Path, files: int, repeat: int) -> list[float]:
    from lakelogic import load_contract
    from lakelogic.run.begin import Ask, Beginning

    landing = folder / "landing"
    for number in range(files):
        path = landing / f"{number % _FOLDERS:03d}" / f"{number:06d}.csv"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("id\n1\n")
    loaded = load_contract(_contract(folder, landing, "csv"))
    _commit_all_but_new(Beginning(loaded, Ask(), None))

    def diff() -> None:
        new = Beginning(loaded, Ask(), None).input().pinned.files
        if len(new) != _NEW:
            raise SystemExit(f"{len(new)} files were found to be new, not {_NEW}")

    return _timed(diff, repeat)


def _commit_all_but_new(beginning: Beginning) -> None:
    """Leave the state that many runs before would have left."""
    from lakelogic.state.claims import Claim
    from lakelogic.state.past import RunsBefore

    pinned = beginning.input().pinned
    old = pinned.files[:-_NEW]
    step = max(len(old) // 20, 1)
    for sequence, begin in enumerate(range(0, len(old), step), 1):
        part = replace(pinned, files=old[begin : begin + step])
        now, run = datetime.now(UTC), f"r{sequence}"
        claim = Claim(sequence, run, run, now, "plan", "contract", "new", "incremental", part, previous=sequence - 1)
        beginning.claims.finish(beginning.claims.create(claim), "succeeded")
    RunsBefore(beginning.claims, pinned.location).keep()


def _second_runs(folder: Path, kind: str, repeat: int) -> list[float]:
    from lakelogic import DataProcessor

    spark = start(settings())
    rows = spark.range(1_000)
    source = folder / "source"
    rows.write.format(kind).option("header", "true").save(str(source))
    contract = _contract(folder, source, kind)

    def run() -> None:
        if DataProcessor(contract, spark=spark).run().status != "no_new_data":
            raise SystemExit("the second run found something new")

    DataProcessor(contract, spark=spark).run()
    return _timed(run, repeat)


def _contract(folder: Path, source: Path, kind: str) -> Path:
    path = folder / f"{kind}.yaml"
    path.write_text(_CONTRACT.format(path=source, format=kind), encoding="utf-8")
    return path


def _timed(work: Callable[[], None], repeat: int) -> list[float]:
    taken = []
    for _ in range(repeat + 1):
        began = time.perf_counter()
        work()
        taken.append(round(time.perf_counter() - began, 3))
    return taken[1:]


if __name__ == "__main__":
    answer_with(measure)
