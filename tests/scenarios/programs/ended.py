"""Starts Spark and ends it, twice; tells the processes of the JVMs."""

from __future__ import annotations

import sys
from pathlib import Path

from pyspark import SparkContext

from lakelogic.engines.opening import EngineSettings, end_engines, open_engine

for _ in range(2):
    open_engine(EngineSettings("spark", master="local[1]", warehouse=Path(sys.argv[1])), lambda _: None).close()
    print(SparkContext._gateway.proc.pid)  # type: ignore[union-attr]
    end_engines()
print("ended", flush=True)
input()
