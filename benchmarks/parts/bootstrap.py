"""Contracts for a landing zone of many files: how long it takes to look at all rows, and how much memory."""

from __future__ import annotations

import json
import random
import resource
import subprocess
import sys
import time
from pathlib import Path

from benchmarks.orders import WORK
from benchmarks.processes import Measured, Tell, answer_with
from benchmarks.ways import emptied

_ENTITIES = ("orders", "payments", "visits", "shipments")
_HEADER = "{entity}_id,customer_id,email,status,amount,quantity,ordered_on,updated_at,city,note\n"
_DISTINCT = 20_000


def measure(files: int, megabytes: int, tell: Tell) -> Measured:
    """Seconds and peak memory of `lakelogic bootstrap`, for all files and for a tenth of them."""
    found: Measured = {"files": files, "megabytes": megabytes}
    for name, share in (("tenth", 10), ("all", 1)):
        landing = _landing(WORK / f"landing-{files // share}-{megabytes // share}", files // share, megabytes // share)
        found[name] = _bootstrapped(landing, emptied(WORK / "out" / "bootstrap"))
        tell(found)
    return found


def _bootstrapped(landing: Path, folder: Path) -> Measured:
    arguments = ["bootstrap", "--landing", str(landing), "--output-dir", str(folder)]
    began, before = time.perf_counter(), resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(
        [sys.executable, "-m", "lakelogic", *arguments, "--registry", str(folder / "_registry.yaml"), "--json"],
        capture_output=True,
        check=True,
    )
    seconds = time.perf_counter() - began
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = used.ru_utime + used.ru_stime - before.ru_utime - before.ru_stime
    # Linux tells kilobytes, macOS bytes; the child with the most counts, and the largest comes last.
    peak = used.ru_maxrss // (1024 if sys.platform != "darwin" else 1024**2)
    rows = sum(entity["rows"] for entity in json.loads(done.stdout)["entities"])
    return {"seconds": round(seconds, 2), "cpu_seconds": round(cpu, 2), "peak_mb": peak, "rows": rows}


def _landing(folder: Path, files: int, megabytes: int) -> Path:
    """Dated csv files of four entities, as large together as asked for."""
    done = folder / "_DONE"
    if done.exists():
        return folder
    emptied(folder)
    size = (megabytes << 20) // files
    chance = random.Random(1)
    tails = [_tail(chance) for _ in range(_DISTINCT)]
    for number in range(files):
        entity, day = _ENTITIES[number % len(_ENTITIES)], number // len(_ENTITIES)
        with (folder / f"{entity}_2026-{day // 28 + 1:02d}-{day % 28 + 1:02d}.csv").open("w") as out:
            out.write(_HEADER.format(entity=entity.removesuffix("s")))
            written, row = 0, 0
            while written < size:
                row += 1
                written += out.write(f"{entity[0].upper()}{number:04d}{row:07d},{chance.choice(tails)}")
    done.touch()
    return folder


def _tail(chance: random.Random) -> str:
    customer, day = chance.randrange(100_000), chance.randrange(1, 29)
    status, city = chance.choice(("open", "paid", "late", "void")), chance.choice(("Oslo", "Bern", "Rome", "Lima"))
    amount, quantity = chance.randrange(100, 900_000) / 100, chance.randrange(1, 50)
    words = " ".join(chance.choice(("please", "leave", "at", "door", "thanks", "call", "before")) for _ in range(4))
    at = f"2026-01-{day:02d} {chance.randrange(24):02d}:{chance.randrange(60):02d}:00"
    return f"C{customer:06d},c{customer}@example.com,{status},{amount:.2f},{quantity},2026-01-{day:02d},{at},{city},{words}\n"


if __name__ == "__main__":
    answer_with(measure)
