"""A process of its own that runs a contract, on any engine, and dies where it is told to.

On Spark it speaks to the JVM that the tests have started, so that a kill costs no new Spark; the JVM goes on, as a
cluster would.
"""

from __future__ import annotations

import multiprocessing
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Mapping
from dataclasses import astuple, dataclass
from functools import wraps
from multiprocessing.connection import Connection
from multiprocessing.context import ForkServerContext, ForkServerProcess
from multiprocessing.synchronize import Event
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_PORT, _SECRET = "PYSPARK_GATEWAY_PORT", "PYSPARK_GATEWAY_SECRET"
KILLED = -signal.SIGKILL
NEVER = "never"
# In the order in which a run passes them.
POINTS = ("claimed", "quarantined", "writing", "published", "logged", "closed")
# Imported once by the process that all others are forked from; none of it may start a thread.
_WARM = [
    "duckdb", "deltalake", "polars", "pyarrow.parquet", "cryptography.hazmat.primitives.ciphers.aead",
    "pyarrow.compute", "pyarrow.csv", "pyarrow.json", "duckdb.func", "lakelogic.cli.main", "lakelogic.run.processor",
    "lakelogic.quarantine.lifecycle", "lakelogic.engines.polars.engine", "tests.scenarios.warm",
]  # fmt: skip


@dataclass(frozen=True)
class Errand:
    """What a child is to do with a contract, and after which step it is to die."""

    contract: str
    engine: str = "duckdb"
    point: str = NEVER
    command: str = "run"


def start(errand: Errand, spark: SparkSession | None = None) -> subprocess.Popen[str]:
    """Start the child; it waits for a line on its input, so that several can begin at once."""
    return subprocess.Popen(
        [sys.executable, "-m", "tests.scenarios.child", *astuple(errand)],
        env={**os.environ, **(_gateway(spark) if spark is not None else {})},
        cwd=Path(__file__).parents[2],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def sent(errand: Errand, spark: SparkSession | None = None) -> tuple[ForkServerProcess, Event]:
    """A process on its errand, and what is set when it begins."""
    began = _context().Event()
    return forked(_begin, errand, _gateway(spark) if spark is not None else {}, began), began


def run_and_die(errand: Errand, spark: SparkSession | None = None) -> None:
    """Run a contract in a process that is killed at a point, and make sure that it was."""
    process, _ = sent(errand, spark)
    process.join(300)
    assert process.exitcode == KILLED


def at_once(errand: Errand, spark: SparkSession | None = None, count: int = 2) -> list[str]:
    """What some children say that do the same at the same time."""
    children = [start(errand, spark) for _ in range(count)]
    for child in children:
        assert child.stdin is not None
        child.stdin.write("go\n")
        child.stdin.flush()
    ended = [child.communicate(timeout=300) for child in children]
    assert all(child.returncode == 0 for child in children), ended
    return sorted(output.strip() for output, _ in ended)


def perform(errand: Errand, spark: SparkSession | None = None) -> str:
    """Do the errand in this process: how it ended, or the code of the error."""
    from lakelogic import DataProcessor, Quarantine
    from lakelogic.errors import LakeLogicError

    if errand.point != NEVER:
        _arm(errand.engine, errand.point)
    try:
        if errand.command in ("run", "reset"):
            processor = DataProcessor(errand.contract, errand.engine, spark=spark)
            return (processor.run() if errand.command == "run" else processor.reset(empty=True)).status
        quarantine = Quarantine(errand.contract, errand.engine, spark=spark)
        resolved = getattr(quarantine, errand.command)(reason="a test")
        return resolved.run.status if resolved.run else "nothing"
    except LakeLogicError as error:
        return error.code


def _begin(errand: Errand, gateway: Mapping[str, str], began: Event) -> None:
    os.environ.update(gateway)
    spark = _borrowed_session() if gateway else None
    began.set()
    perform(errand, spark)


def in_process(function: Callable[..., Any], *arguments: Any) -> Any:
    """What a function returns in a process of its own."""
    receiver, sender = _context().Pipe(duplex=False)
    process = forked(_answer, sender, function, *arguments)
    sender.close()
    try:
        answer = receiver.recv() if receiver.poll(300) else "no answer"
    except EOFError:
        answer = "died"
    process.join(60)
    assert process.exitcode == 0, answer
    return answer


def _context() -> ForkServerContext:
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(_WARM)
    return context


def forked(function: Callable[..., Any], *arguments: Any) -> ForkServerProcess:
    """Begin a function in a process of its own, forked from a warm one."""
    process = _context().Process(target=function, args=arguments)
    process.start()
    return process


def _answer(sender: Connection, function: Callable[..., Any], *arguments: Any) -> None:
    sender.send(function(*arguments))
    sender.close()


def _gateway(spark: SparkSession) -> dict[str, str]:
    gateway = spark.sparkContext._gateway
    assert gateway is not None
    parameters = gateway.gateway_parameters
    return {_PORT: str(parameters.port), _SECRET: str(parameters.auth_token)}


def _borrowed_session() -> SparkSession:
    from pyspark import SparkConf, SparkContext
    from pyspark.java_gateway import launch_gateway
    from pyspark.sql import SparkSession

    gateway = launch_gateway()  # type: ignore[no-untyped-call]
    jvm: Any = gateway.jvm
    context = jvm.org.apache.spark.api.java.JavaSparkContext(jvm.org.apache.spark.SparkContext.getOrCreate())
    return SparkSession(SparkContext(gateway=gateway, jsc=context, conf=SparkConf(_jconf=context.getConf())))


def _dying_after(function: Callable[..., Any], call: int, seen: list[int]) -> Callable[..., Any]:
    @wraps(function)
    def dying(*args: Any, **kwargs: Any) -> Any:
        returned = function(*args, **kwargs)
        seen.append(1)
        if len(seen) == call:
            os.kill(os.getpid(), signal.SIGKILL)
        return returned

    return dying


def _arm(engine: str, point: str) -> None:
    """Patch the step in or after which this process is to die."""
    from lakelogic.engines import iceberg_commits
    from lakelogic.state.claims import Claims
    from lakelogic.state.runlog import RunLog

    kind, writing = _writer(engine)
    owners: tuple[Any, ...]
    owners, name, call = {
        "claimed": ((Claims,), "create", 1),
        "quarantined": ((kind,), "write", 1),
        # The commit of the second write is described, and not yet made.
        "writing": ((writing, iceberg_commits), "told", 2),
        "published": ((kind,), "write", 2),
        "logged": ((RunLog,), "append", 1),
        "closed": ((Claims,), "finish", 1),
    }[point]
    seen: list[int] = []
    for owner in owners:
        setattr(owner, name, _dying_after(getattr(owner, name), call, seen))


def _writer(engine: str) -> tuple[Any, Any]:
    if engine == "spark":
        from lakelogic.engines.spark import writing as spark_writing
        from lakelogic.engines.spark.engine import SparkEngine

        return SparkEngine, spark_writing
    from lakelogic.engines.duckdb import writing
    from lakelogic.engines.duckdb.engine import DuckDBEngine

    return DuckDBEngine, writing


def main(*arguments: str) -> None:
    """Do one errand when a line comes in, and say how it ended."""
    errand = Errand(*arguments)
    spark = _borrowed_session() if errand.engine == "spark" else None
    sys.stdin.readline()
    print(perform(errand, spark))


if __name__ == "__main__":
    main(*sys.argv[1:])
