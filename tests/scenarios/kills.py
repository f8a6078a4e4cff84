"""The kill matrix: a run of every kind is killed somewhere, run again, and compared with a twin that nobody killed."""

from __future__ import annotations

import json
import os
import random
import shutil
import subprocess
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, replace
from functools import cache, cached_property
from multiprocessing.context import ForkServerProcess
from multiprocessing.synchronize import Event
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tests.scenarios.child import KILLED, POINTS, Errand, in_process, sent
from tests.scenarios.light import light_project
from tests.scenarios.project import Project

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

STRATEGIES = ("append", "overwrite", "merge", "scd2", "replace_partitions")
FORMATS = ("delta", "iceberg")
LIGHT = ("duckdb", "polars")
# Seconds after which a process hangs; on a machine with much else to do a run may take minutes.
_PATIENCE = 900

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

    def __init__(self, case: Case, folder: Path, spark: SparkSession | None = None) -> None:
        self.case = case
        self._spark = spark
        self._folder = folder / "project"
        self._saved = folder / "saved"
        self._takes = float(_PATIENCE)
        self._errand = Errand(str(self._folder / "contract.yaml"), case.engine)
        self._apart(_first_batch)
        shutil.copytree(self._folder, self._saved)

    @cached_property
    def twin(self) -> object:
        """What is there when nobody kills the second batch."""
        process, began = sent(self._errand, self._spark)
        self._ends_within(process, began, _PATIENCE)
        assert process.exitcode == 0
        return self._apart(_finished)

    def killed_at(self, point: str) -> Kill:
        """Die by one's own hand, right after a step."""
        self._restore()
        process, _ = sent(replace(self._errand, point=point), self._spark)
        return self._ended(process, point)

    def killed_after(self, part: float) -> Kill:
        """Die at an instant that nobody chose: after this part of the time that a run takes."""
        self._restore()
        seconds = part * self._takes
        process, began = sent(self._errand, self._spark)
        if not self._ends_within(process, began, seconds):
            process.kill()
        return self._ended(process, f"after {seconds:.3f} s")

    def instants(self, count: int) -> list[float]:
        """Moments of a run, as parts of it, the same ones each time."""
        moments = random.Random(str(self.case))
        return [moments.random() for _ in range(count)]

    def _ends_within(self, process: ForkServerProcess, began: Event, seconds: float) -> bool:
        """Whether a run ends of itself; then it is known how short one may be, on a machine that is less busy than before."""
        assert began.wait(_PATIENCE)
        start = time.monotonic()
        process.join(seconds)
        if process.exitcode is None:
            return False
        self._takes = min(self._takes, time.monotonic() - start)
        return True

    def _apart(self, function: Callable[..., Any]) -> Any:
        """What a function makes of the project: on the Spark that is there, else in a process of its own."""
        if self._spark is None:
            return in_process(function, self._folder, self.case)
        return function(self._folder, self.case, self._spark)

    def _restore(self) -> None:
        _ = self.twin
        shutil.rmtree(self._folder)
        shutil.copytree(self._saved, self._folder)
        if self._spark is not None:
            jvm: Any = self._spark.sparkContext._jvm
            # Tables that go back in time are no part of the trial.
            jvm.org.apache.spark.sql.delta.DeltaLog.clearCache()

    def _ended(self, process: ForkServerProcess, where: str) -> Kill:
        process.join(_PATIENCE)
        assert process.exitcode is not None, f"{self.case} still runs ({where})"
        found = self._apart(_finished)
        same = found == self.twin
        told = "" if same else f"{found} instead of {self.twin}"
        return recorded(Kill(self.case, where, process.exitcode == KILLED, same, told))


def recorded(kill: Kill) -> Kill:
    """Keep what happened where `make torture` wants the figures of docs/reliability.md."""
    if chosen := os.environ.get("LAKELOGIC_TORTURE"):
        path = Path(chosen)
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("a", encoding="utf-8") as stream:
            stream.write(f"{json.dumps({**kill.to_dict(), 'commit': _commit()})}\n")
    return kill


@cache
def _commit() -> str:
    asked = ["git", "describe", "--always", "--dirty", "--exclude=*"]
    return subprocess.run(asked, capture_output=True, text=True, check=True).stdout.strip()


def sample(cases: list[Case], cells: int, seed: int) -> Iterator[tuple[Case, list[str]]]:
    """Some cells of the matrix with half of the points each, chosen by chance and always the same."""
    chance = random.Random(seed)
    return ((case, chance.sample(POINTS, len(POINTS) // 2)) for case in chance.sample(cases, cells))


def _first_batch(folder: Path, case: Case, spark: SparkSession | None = None) -> None:
    project = _project(folder, case, spark)
    project.file("in/1.csv", FIRST)
    project.run(case.contract)
    project.file("in/2.csv", SECOND)


def _finished(folder: Path, case: Case, spark: SparkSession | None = None) -> object:
    """Run until nothing is left to do: what is there then."""
    project = _project(folder, case, spark)
    first, second = project.run().status, project.run().status
    return {"ended": first in ("succeeded", "no_new_data"), "then": second, "contents": project.contents()}


def _project(folder: Path, case: Case, spark: SparkSession | None) -> Project:
    return light_project(folder, case.engine) if spark is None else Project(folder, spark)


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
