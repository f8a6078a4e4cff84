"""How long `lakelogic --help` takes."""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path

from benchmarks.processes import Measured, Tell, answer_with


def measure(repeat: int, tell: Tell) -> Measured:
    """Seconds from the shell's view."""
    return {"seconds": [_help() for _ in range(repeat + 1)][1:]}


def _help() -> float:
    began = time.perf_counter()
    subprocess.run([Path(sys.executable).with_name("lakelogic"), "--help"], check=True, stdout=subprocess.DEVNULL)
    return round(time.perf_counter() - began, 3)


if __name__ == "__main__":
    answer_with(measure)
