"""The orders lab: its own tests, run as `make test` in its folder runs them."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
LAB = ROOT / "examples" / "orders_lab"


def _tested(*which: str) -> None:
    paths = os.pathsep.join([str(ROOT / "src"), os.environ.get("PYTHONPATH", "")])
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *which]
    done = subprocess.run(
        command, cwd=LAB, env={**os.environ, "PYTHONPATH": paths}, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_lab_gives_its_numbers_without_spark() -> None:
    _tested("-m", "not spark")


@pytest.mark.slow
def test_the_lab_gives_the_same_numbers_on_spark() -> None:
    _tested("-m", "spark")
