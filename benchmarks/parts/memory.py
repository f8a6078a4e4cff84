"""Memory of the driver: Python's own, and the heap of its JVM, which in local mode runs the tasks as well."""

from __future__ import annotations

import re
import resource
import sys
from pathlib import Path

from benchmarks import ways
from benchmarks.orders import WORK, generate
from benchmarks.processes import Measured, Tell, answer_with
from benchmarks.session import settings, start

# A small heap is collected often, so that what is left after a collection is close to what is in use.
_HEAP = "1g"
_AFTER = re.compile(r"Pause .*?->(\d+)M\(")


def measure(rows: int, way: str, tell: Tell) -> Measured:
    """Peaks of one run of a way, in megabytes."""
    log = WORK / "collections.log"
    log.unlink(missing_ok=True)
    spark = start(settings(_HEAP, f"-Xlog:gc:file={log}"))
    source = generate(spark, rows)
    {"product": ways.product, "by_hand": ways.by_hand}[way](spark, source, ways.emptied(WORK / "out" / "memory"))
    # Linux tells kilobytes, macOS bytes.
    python = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // (1024 if sys.platform != "darwin" else 1024**2)
    return {"rows": rows, "python_mb": python, "heap_after_gc_mb": _peak(log), "heap_limit": _HEAP}


def _peak(log: Path) -> int | None:
    left = [int(match[1]) for match in _AFTER.finditer(log.read_text(encoding="utf-8", errors="replace"))]
    return max(left, default=None)


if __name__ == "__main__":
    answer_with(measure)
