"""The kill matrix: a run of every kind is killed somewhere, run again, and compared with a twin that nobody killed."""

from __future__ import annotations

import json
import os
import random
import shutil
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from functools import cached_property
from pathlib import Path

from tests.scenarios.child import KILLED, POINTS, Errand, forked, in_process, perform
from tests.scenarios.light import light_project

STRATEGIES = ("append", "overwrite", "merge", "scd2", "replace_partitions")
FORMATS = ("delta", "iceberg")
LIGHT = ("duckdb", "polars")

CONTRACT = """
    source: {{path: in/*.csv, load_mode: incremental}}
    model:
      fields:
        - {{name: id, type: int, required: true}}
        - {{name: name, type: string}}
        - {{name: day, type: date}}
    primary_key: [id]
    quality: {{row_rules: [{{name: short, sql: length(name) < 5}}]}}
    materialization: {{strategy: {strategy}, target_path: out{more}}}
"""
FIRST = "id,name,day\n1,a,2026-01-01\n2,b,2026-01-02\nx,bad,2026-01-01\n"
SECOND = "id,name,day\n2,B,2026-01-02\n3,c,2026-01-03\n4,too long,2026-01-03\n,none,2026-01-03\n"
_MORE = {"scd2": ", scd2: {timestamp_field: day}", "replace_partitions": ", partition_by: [day]"}


@dataclass(frozen=True)
class Case:
    """One cell of the matrix."""

    engine: str
    strategy: str
    format: str = "delta"

    def __str__(self) -> str:
        return f"{self.engine}-{self.format}-{self.strategy}"

    @property
    def contract(self) -> str:
        more = _MORE.get(self.strategy, "") + ("" if self.format == "delta" else f", format: {self.format}")
        return CONTRACT.format(strategy=self.strategy, more=more)


@dataclass(frozen=True)
class Kill:
    """What was done to a run, and whether its tables and its log ended like its twin's."""

    case: Case
    where: str
    died: bool
    same: bool
    told: str = ""

    def to_dict(self) -> dict[str, object]:
        return {**asdict(self.case), "where": self.where, "died": self.died, "same": self.same, "told": self.told}


class Arena:
    """A project folder in which one case is killed again and again; every process is forked from a warm one."""

    def __init__(self, case: Case, folder: Path) -> None:
        self.case = case
        self._folder = folder / "project"
        self._saved = folder / "saved"
        self._errand = Errand(str(self._folder / "contract.yaml"), case.engine)
        in_process(_first_batch, self._folder, case)
        shutil.copytree(self._folder, self._saved)

    @cached_property
    def twin(self) -> tuple[float, object]:
        """How long the second batch takes when nobody kills it, and what is there then."""
        began = time.monotonic()
        in_process(perform, self._errand)
        took = time.monotonic() - began
        return took, in_process(_finished, self._folder, self.case)

    def killed_at(self, point: str) -> Kill:
        """Die by one's own hand, right after a step."""
        _ = self.twin
        self._restore()
        process = forked(perform, Errand(self._errand.contract, self.case.engine, point))
        process.join(120)
        return self._ended(process.exitcode, point)

    def killed_after(self, seconds: float) -> Kill:
        """Die at an instant that nobody chose."""
        _ = self.twin
        self._restore()
        process = forked(perform, self._errand)
        time.sleep(seconds)
        process.kill()
        process.join(120)
        return self._ended(process.exitcode, f"after {seconds:.3f} s")

    def instants(self, count: int) -> list[float]:
        """Moments of a run, the same ones each time."""
        moments = random.Random(str(self.case))
        return [moments.uniform(0, self.twin[0]) for _ in range(count)]

    def _restore(self) -> None:
        shutil.rmtree(self._folder)
        shutil.copytree(self._saved, self._folder)

    def _ended(self, exit_code: int | None, where: str) -> Kill:
        found = in_process(_finished, self._folder, self.case)
        same = found == self.twin[1]
        return Kill(self.case, where, exit_code == KILLED, same, "" if same else f"{found} instead of {self.twin[1]}")


def report_file() -> Path | None:
    """Where `make torture` wants the figures of docs/reliability.md."""
    chosen = os.environ.get("LAKELOGIC_TORTURE")
    return Path(chosen) if chosen else None


def append_report(path: Path | None, kills: list[Kill]) -> None:
    """Keep what happened, a line for each kill."""
    if path is None:
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("a", encoding="utf-8") as stream:
        stream.writelines(f"{json.dumps(kill.to_dict())}\n" for kill in kills)


def sample(cases: list[Case], cells: int, seed: int) -> Iterator[tuple[Case, list[str]]]:
    """Some cells of the matrix with half of the points each, chosen by chance and always the same."""
    chance = random.Random(seed)
    return ((case, chance.sample(POINTS, len(POINTS) // 2)) for case in chance.sample(cases, cells))


def _first_batch(folder: Path, case: Case) -> None:
    project = light_project(folder, case.engine)
    project.file("in/1.csv", FIRST)
    project.run(case.contract)
    project.file("in/2.csv", SECOND)


def _finished(folder: Path, case: Case) -> object:
    """Run until nothing is left to do: what is there then."""
    project = light_project(folder, case.engine)
    first, second = project.run().status, project.run().status
    rows = _target_rows(folder, case) if case.format != "delta" else None
    ended = first in ("succeeded", "no_new_data")
    return {"ended": ended, "then": second, "contents": project.contents(), "rows": rows}


def _target_rows(folder: Path, case: Case) -> list[str]:
    from lakelogic.engines.duckdb.engine import DuckDBEngine
    from lakelogic.sources.read import TableToRead

    engine = DuckDBEngine(folder / "warehouse")
    frame = engine.read_table(TableToRead(str(folder / "out"), is_name=False, format=case.format))
    return sorted(str(row) for row in engine.head(frame, 1000))


def refusal(case: Case, folder: Path) -> str | None:
    """Why a combination is refused before anything is read; None where it is not."""
    told = in_process(_refused, folder, case)
    return str(told) if told else None


def _refused(folder: Path, case: Case) -> str | None:
    from lakelogic.errors import LakeLogicError

    project = light_project(folder, case.engine)
    project.file("in/1.csv", FIRST)
    project.contract(case.contract)
    try:
        project.processor().plan()
    except LakeLogicError as error:
        return error.message
    return None
