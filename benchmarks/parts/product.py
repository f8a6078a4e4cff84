"""The product alone on one engine, next to a peer that is measured in an environment of its own."""

from __future__ import annotations

from pathlib import Path

from benchmarks.clock import take_turns
from benchmarks.light import product_on
from benchmarks.processes import Measured, Tell, answer_with


def measure(engine: str, source: str, repeat: int, tell: Tell) -> Measured:
    """Seconds of the product."""
    return take_turns(None, Path(source), {"product": product_on(engine)}, repeat, tell)


if __name__ == "__main__":
    answer_with(measure)
