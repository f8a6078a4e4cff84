"""What the product adds to a tiny run on a warm session, beyond the same reads and writes by hand."""

from __future__ import annotations

from benchmarks import ways
from benchmarks.clock import take_turns
from benchmarks.orders import generate
from benchmarks.processes import Measured, Tell, answer_with
from benchmarks.session import settings, start


def measure(rows: int, repeat: int, tell: Tell) -> Measured:
    """Seconds of both on a few rows."""
    spark = start(settings())
    source = generate(spark, rows)
    compared = {"by_hand": ways.by_hand, "product": ways.product}
    return {"rows": rows, "ways": take_turns(spark, source, compared, repeat, tell)}


if __name__ == "__main__":
    answer_with(measure)
