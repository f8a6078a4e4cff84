"""Measuring ways against each other: warm, in turns, on one Spark."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchmarks.orders import WORK
from benchmarks.ways import Written, emptied

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

Way = Callable[[Any, Path, Path], Written]


@dataclass(frozen=True)
class Taken:
    """What one go of a way took: seconds on the wall, and of processors."""

    wall: float
    cpu: float


def take_turns(
    spark: SparkSession | None,
    source: Path,
    ways: Mapping[str, Way],
    repeat: int,
    after: Callable[[dict[str, Any]], None],
) -> dict[str, Any]:
    """Each way once to warm up, then `repeat` rounds of all; a machine that slows down slows all of them.

    Ways that need no Spark are given none. `after` is called with what is known after every go.
    """
    found: dict[str, Any] = {name: {"seconds": [], "cpu_seconds": []} for name in ways}
    for turn in range(repeat + 1):
        for name, way in _rotated(ways, turn).items():
            taken, written = _once(spark, source, WORK / "out" / name, way)
            found[name] |= {"good": written.good, "bad": written.bad}
            if turn:
                found[name]["seconds"].append(round(taken.wall, 3))
                found[name]["cpu_seconds"].append(round(taken.cpu, 3))
            else:
                found[name]["cold_seconds"] = round(taken.wall, 3)
            after(found)
    return found


def _once(spark: SparkSession | None, source: Path, out: Path, way: Way) -> tuple[Taken, Written]:
    emptied(out)
    # What the last go wrote is not to be flushed on the time of this one.
    os.sync()
    cpu, wall = cpu_seconds(spark), time.perf_counter()
    written = way(spark, source, out)
    return Taken(time.perf_counter() - wall, cpu_seconds(spark) - cpu), written


def cpu_seconds(spark: SparkSession | None) -> float:
    """Processor time of this process and its JVM so far."""
    if spark is None:
        return time.process_time()
    jvm: Any = spark.sparkContext._jvm
    spent = jvm.java.lang.ProcessHandle.current().info().totalCpuDuration().get().toMillis()
    return time.process_time() + float(spent) / 1000


def _rotated(ways: Mapping[str, Way], by: int) -> dict[str, Way]:
    """None is always first, and none always follows the same one with its garbage."""
    names = list(ways)
    shift = by % len(names)
    return {name: ways[name] for name in names[shift:] + names[:shift]}
