"""The orders, where another part or a peer needs them before it starts."""

from __future__ import annotations

from benchmarks.orders import generate
from benchmarks.processes import Measured, Tell, answer_with
from benchmarks.session import settings, start


def measure(rows: int, tell: Tell) -> Measured:
    """Nothing is measured here."""
    generate(start(settings()), rows)
    return {"rows": rows}


if __name__ == "__main__":
    answer_with(measure)
