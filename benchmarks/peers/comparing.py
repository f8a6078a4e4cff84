"""A peer against the floor, both in the peer's environment, so that the ratio is of one run."""

from __future__ import annotations

from pathlib import Path

from benchmarks import ways
from benchmarks.clock import Way, take_turns
from benchmarks.processes import Measured, Tell
from benchmarks.session import start


def against_floor(way: Way, source: str, conf: dict[str, str], repeat: int, tell: Tell) -> Measured:
    """Seconds of the floor and of the peer."""
    spark = start(conf)
    compared = {"floor": ways.floor, "peer": way}
    return take_turns(spark, Path(source), compared, repeat, tell)
