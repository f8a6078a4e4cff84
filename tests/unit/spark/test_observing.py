"""What Spark has counted in passing, and what becomes of a count that never comes."""

from __future__ import annotations

import subprocess
import sys

_WAITS = """
import time
from types import SimpleNamespace
from lakelogic.engines.spark import engine

class Lost:
    @property
    def get(self):
        time.sleep(3600)

engine._OBSERVE_SECONDS = 0.01
running = SimpleNamespace(_observations={"rows": Lost()})
print(engine.SparkEngine.observed(running, "rows"))
"""


def test_a_process_ends_though_a_count_never_comes() -> None:
    ended = subprocess.run([sys.executable, "-c", _WAITS], capture_output=True, text=True, timeout=60, check=True)
    assert ended.stdout == "None\n"
