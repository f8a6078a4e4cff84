"""Which engine is done first, from the shell and from nothing, as the input grows."""

from __future__ import annotations

from pathlib import Path

from benchmarks.processes import Measured, Tell, answer_with
from benchmarks.shell import command_seconds

_ENGINES = ("duckdb", "spark")


def measure(sources: dict[str, str], repeat: int, tell: Tell) -> Measured:
    """Seconds of the command on each engine for each number of rows."""
    found: Measured = {"sizes": []}
    for rows, source in sources.items():
        size = sum(file.stat().st_size for file in Path(source).glob("*.parquet"))
        taken = {engine: [command_seconds(Path(source), engine) for _ in range(repeat)] for engine in _ENGINES}
        found["sizes"].append({"rows": int(rows), "bytes": size, "seconds": taken})
        tell(found)
    return found


if __name__ == "__main__":
    answer_with(measure)
