"""A process of its own that runs a contract without Spark, and dies where it is told to."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from tests.scenarios.child import KILLED, _die, _dying_after


def start(*arguments: str) -> subprocess.Popen[str]:
    """Start the child; it waits for a line on its input, so that several can begin at once."""
    return subprocess.Popen(
        [sys.executable, "-m", "tests.scenarios.light_child", *arguments],
        cwd=Path(__file__).parents[2],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def run_and_die(contract: Path, point: str) -> None:
    """Run a contract in a process that is killed at a point, and make sure that it was."""
    child = start(str(contract), point)
    _, errors = child.communicate("go\n", timeout=300)
    assert child.returncode == KILLED, errors


def _arm(point: str) -> None:
    """Patch the step in or after which this process is to die."""
    from lakelogic.engines.duckdb import writing
    from lakelogic.engines.duckdb.engine import DuckDBEngine
    from lakelogic.state.claims import Claims
    from lakelogic.state.runlog import RunLog

    owner, name, call = {
        "claimed": (Claims, "create", 1),
        "quarantined": (DuckDBEngine, "write", 1),
        "published": (DuckDBEngine, "write", 2),
        "logged": (RunLog, "append", 1),
        "writing": (writing, "_commit", 2),
    }[point]
    setattr(owner, name, _dying_after(getattr(owner, name), call))


def main(contract: str, point: str, delay: str = "0") -> None:
    """Run the contract once; `point` says after which step to die, `later` after how many seconds, `never` not at all."""
    from threading import Timer

    from lakelogic import DataProcessor
    from lakelogic.errors import LakeLogicError

    if point not in ("never", "later"):
        _arm(point)
    sys.stdin.readline()
    if point == "later":
        Timer(float(delay), _die).start()
    try:
        result = DataProcessor(contract, "duckdb").run()
    except LakeLogicError as error:
        print(error.code)
    else:
        print(result.status)


if __name__ == "__main__":
    main(*sys.argv[1:])
