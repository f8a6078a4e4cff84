"""The orders lab: bronze, silver and gold by the driver, in a Spark that is warm."""

from __future__ import annotations

import shutil
import time
from pathlib import Path

from benchmarks.orders import WORK
from benchmarks.parts.jobs import jobs_so_far
from benchmarks.processes import Measured, Tell, answer_with
from benchmarks.session import settings, start
from benchmarks.ways import emptied

_LAB = Path(__file__).parents[2] / "examples" / "orders_lab"


def measure(repeat: int, tell: Tell) -> Measured:
    """Seconds and Spark jobs of each build, after a first one that counts for nothing."""
    from lakelogic.driver.drive import Settings, drive
    from lakelogic.driver.nodes import Selection
    from lakelogic.project import find_project

    folder = emptied(WORK / "out" / "lab")
    shutil.copytree(_LAB, folder, dirs_exist_ok=True, ignore=shutil.ignore_patterns("artifacts", ".venv"))
    selection = Selection(registries=(folder / "contracts" / "_registry.yaml",))
    spark = start({**settings(), **find_project(folder).spark})
    found: Measured = {"seconds": [], "jobs": []}
    for build in range(repeat + 1):
        before, began = jobs_so_far(spark), time.perf_counter()
        if drive(selection, Settings("spark")).exit_code:
            raise SystemExit("a contract failed")
        if build:
            found["seconds"].append(round(time.perf_counter() - began, 3))
            found["jobs"].append(jobs_so_far(spark) - before)
            tell(found)
    return found


if __name__ == "__main__":
    answer_with(measure)
