"""A measurement in a process of its own, so that none inherits another's warmth, and one that hangs can be ended."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.orders import WORK

Measured = dict[str, Any]
Tell = Callable[[Measured], None]

_TAIL = 2000


class MeasurementFailed(Exception):
    """A measuring process ended with an error; its last words are the message."""


@dataclass(frozen=True)
class Answer:
    """What a measuring process told, and whether it came to its end within the limit."""

    told: Measured
    finished: bool


def measure_apart(
    module: str, arguments: Mapping[str, Any], *, python: str = sys.executable, limit: float | None = None
) -> Answer:
    """Run `python -m module` with these arguments.

    Raises:
        MeasurementFailed: it ended with an error.
    """
    WORK.mkdir(parents=True, exist_ok=True)
    answer = WORK / "answer.json"
    answer.unlink(missing_ok=True)
    log = WORK / f"{module}.log"
    with log.open("w", encoding="utf-8") as said:
        child = subprocess.Popen(
            [python, "-m", module, json.dumps(dict(arguments)), str(answer)],
            stdout=said,
            stderr=said,
            cwd=Path(__file__).parent.parent,
            env=_environment(python),
            start_new_session=True,
        )
        try:
            code: int | None = child.wait(timeout=limit)
        except subprocess.TimeoutExpired:
            code = None
        finally:
            _end(child)
    if code:
        raise MeasurementFailed(f"{module} failed:\n{log.read_text(encoding='utf-8', errors='replace')[-_TAIL:]}")
    told = json.loads(answer.read_text(encoding="utf-8")) if answer.exists() else {}
    return Answer(told, code is not None)


def answer_with(measure: Callable[..., Measured]) -> None:
    """The other side: measure as asked, and write what was found; `tell` writes what is known so far."""
    arguments, path = json.loads(sys.argv[1]), Path(sys.argv[2])

    def tell(found: Measured) -> None:
        partial = path.with_suffix(".part")
        partial.write_text(json.dumps(found), encoding="utf-8")
        partial.replace(path)

    tell(measure(tell=tell, **arguments))


def _environment(python: str) -> dict[str, str]:
    """A path that leads to this project's own packages is not for an environment of another product."""
    return {name: value for name, value in os.environ.items() if name != "PYTHONPATH" or python == sys.executable}


def _end(child: subprocess.Popen[bytes]) -> None:
    """End the process with the JVM that it started."""
    with suppress(ProcessLookupError):
        os.killpg(child.pid, signal.SIGKILL)
    child.wait()
