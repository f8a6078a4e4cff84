"""A process of its own that runs contracts on the Spark of the tests, and dies where it is told to.

It speaks to the JVM that the tests have started, so that a kill costs no new Spark; the JVM goes on, as a cluster would.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_PORT, _SECRET = "PYSPARK_GATEWAY_PORT", "PYSPARK_GATEWAY_SECRET"
KILLED = -signal.SIGKILL


def start(spark: SparkSession, *arguments: str) -> subprocess.Popen[str]:
    """Start the child; it waits for a line on its input, so that several can begin at once."""
    gateway = spark.sparkContext._gateway
    assert gateway is not None
    parameters = gateway.gateway_parameters
    told = {_PORT: str(parameters.port), _SECRET: str(parameters.auth_token)}
    root = Path(__file__).parents[2]
    return subprocess.Popen(
        [sys.executable, "-m", "tests.scenarios.child", *arguments],
        env={**os.environ, **told},
        cwd=root,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def run_and_die(spark: SparkSession, contract: Path, point: str) -> None:
    """Run a contract in a process that is killed at a point, and make sure that it was."""
    child = start(spark, str(contract), point)
    _, errors = child.communicate("go\n", timeout=300)
    assert child.returncode == KILLED, errors


def _borrowed_session() -> SparkSession:
    from pyspark import SparkConf, SparkContext
    from pyspark.java_gateway import launch_gateway
    from pyspark.sql import SparkSession

    gateway = launch_gateway()  # type: ignore[no-untyped-call]
    jvm: Any = gateway.jvm
    context = jvm.org.apache.spark.api.java.JavaSparkContext(jvm.org.apache.spark.SparkContext.getOrCreate())
    return SparkSession(SparkContext(gateway=gateway, jsc=context, conf=SparkConf(_jconf=context.getConf())))


def _die(_: object = None) -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def _dying_after(function: Callable[..., Any], call: int) -> Callable[..., Any]:
    seen: list[int] = []

    @wraps(function)
    def dying(*args: Any, **kwargs: Any) -> Any:
        returned = function(*args, **kwargs)
        seen.append(1)
        if len(seen) == call:
            _die()
        return returned

    return dying


def _arm(point: str) -> None:
    """Patch the step after which this process is to die."""
    from lakelogic.engines.spark.engine import SparkEngine
    from lakelogic.state.claims import Claims
    from lakelogic.state.runlog import RunLog

    owner, name, call = {
        "claimed": (Claims, "create", 1),
        "quarantined": (SparkEngine, "write", 1),
        "published": (SparkEngine, "write", 2),
        "logged": (RunLog, "append", 1),
    }[point]
    setattr(owner, name, _dying_after(getattr(owner, name), call))


def main(contract: str, point: str) -> None:
    """Run the contract once; `point` says after which step to die, or `never`."""
    from lakelogic import DataProcessor
    from lakelogic.errors import LakeLogicError

    spark = _borrowed_session()
    if point != "never":
        _arm(point)
    sys.stdin.readline()
    try:
        result = DataProcessor(contract, spark=spark).run()
    except LakeLogicError as error:
        print(error.code)
    else:
        print(result.status)


if __name__ == "__main__":
    main(*sys.argv[1:])
