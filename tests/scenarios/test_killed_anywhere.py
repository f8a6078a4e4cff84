"""A process with a Spark of its own, killed with its JVM at moments that nobody chose."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import IO

import pytest

from tests.scenarios.project import Project

pytestmark = pytest.mark.slow

_CONTRACT = """
    source: {{path: in/*.csv, load_mode: incremental}}
    model:
      fields:
        - {{name: id, type: int, required: true}}
        - {{name: name, type: string}}
    primary_key: [id]
    materialization: {{strategy: {strategy}, target_path: out, format: {format}}}
"""
_PROGRAM = """
import sys
from lakelogic import DataProcessor
DataProcessor(sys.argv[1], master="local[2]", progress=lambda what: print(what, flush=True)).run()
"""
_PHASES = ("planning", "auditing", "writing quarantine", "writing target", "accounting")


def _batch(number: int) -> str:
    rows = "".join(f"{number * 1000 + i},n{i}\n" for i in range(200))
    return f"id,name\n{rows}bad{number},x\n"


def _run_and_kill(contract: Path, phase: str, delay: float) -> None:
    """Kill the process and everything it has started, some time after it has entered a phase."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PYSPARK_GATEWAY")}
    with subprocess.Popen(
        [sys.executable, "-c", _PROGRAM, str(contract)],
        env=environment,
        stdout=subprocess.PIPE,
        text=True,
        start_new_session=True,
    ) as child:
        assert child.stdout is not None
        _wait_for(phase, child.stdout)
        time.sleep(delay)
        os.killpg(child.pid, signal.SIGKILL)


def _wait_for(phase: str, lines: IO[str]) -> None:
    for line in lines:
        if line.strip() == phase:
            return


@pytest.mark.parametrize("format_", ["delta", "iceberg"])
@pytest.mark.parametrize("strategy", ["append", "overwrite", "merge"])
def test_whatever_the_moment_every_batch_is_there_once(project: Project, strategy: str, format_: str) -> None:
    project.contract(_CONTRACT.format(strategy=strategy, format=format_))
    moments = random.Random(strategy)
    for number, phase in enumerate(moments.sample(_PHASES, 3), 1):
        project.file(f"in/{number}.csv", _batch(number))
        _run_and_kill(project.root / "contract.yaml", phase, moments.uniform(0, 1.5))
    project.run()
    ids = project.values("id")
    assert len(ids) == len(set(ids))
    if strategy != "overwrite":
        assert len(ids) == 600
    assert project.values("id", "out_quarantine") == ["bad1", "bad2", "bad3"]
    assert project.run().status == "no_new_data"
