"""`lakelogic run` as a shell sees it: the start of the process is part of it."""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path

from benchmarks.orders import WORK, write_contract
from benchmarks.ways import emptied


def command_seconds(source: Path, engine: str) -> float:
    """One run of the orders into an empty folder."""
    out = emptied(WORK / "out" / "command")
    asked = ["run", str(write_contract(out)), "--engine", engine, "--source", str(source), "--target", str(out / "t")]
    began = time.perf_counter()
    subprocess.run(
        [Path(sys.executable).with_name("lakelogic"), *asked],
        check=True,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    return round(time.perf_counter() - began, 3)
