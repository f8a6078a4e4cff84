"""The floor, an expert's code and the product, on the same rows."""

from __future__ import annotations

from benchmarks import ways
from benchmarks.clock import take_turns
from benchmarks.orders import generate
from benchmarks.processes import Measured, Tell, answer_with
from benchmarks.session import settings, start


def measure(rows: int, repeat: int, tell: Tell) -> Measured:
    """Seconds of each way, and the rows that it wrote."""
    spark = start(settings())
    source = generate(spark, rows)
    compared = {"floor": ways.floor, "by_hand": ways.by_hand, "product": ways.product}
    found = take_turns(spark, source, compared, repeat, lambda known: tell({"rows": rows, "ways": known}))
    if _counts(found["by_hand"]) != _counts(found["product"]):
        raise SystemExit(f"the ways disagree on the rows: {found}")
    return {"rows": rows, "bad": found["product"]["bad"], "ways": found}


def _counts(found: Measured) -> tuple[int, int]:
    return found["good"], found["bad"]


if __name__ == "__main__":
    answer_with(measure)
