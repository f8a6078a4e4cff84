"""Starting a Spark of our own: quiet, tuned for this machine, with Delta on its class path."""

from __future__ import annotations

import os
import re
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from lakelogic.engines.spark.interrupts import interruptible, uninterrupted
from lakelogic.engines.spark.jars import jar_paths
from lakelogic.engines.spark.java import require_java
from lakelogic.errors import EngineUnavailable

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_DELTA_EXTENSION = "io.delta.sql.DeltaSparkSessionExtension"
_DELTA_CATALOG = "org.apache.spark.sql.delta.catalog.DeltaCatalog"

_SECRET = re.compile(r"secret|password|token|access[.]?key", re.IGNORECASE)


def launch(conf: Mapping[str, str], *, verbose: bool) -> SparkSession:
    """Start a Spark with this configuration and give its first session.

    Raises:
        EngineUnavailable: there is no Java for it, or it did not start; with what it said.
    """
    from py4j.protocol import Py4JError
    from pyspark.errors import PySparkException
    from pyspark.sql import SparkSession

    require_java()
    # foreachBatch and user functions start Python again, and must find this one.
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    with tempfile.TemporaryFile() as quiet, interruptible():
        try:
            _start_jvm(conf, sys.__stderr__ if verbose and sys.__stderr__ else quiet)
            return SparkSession.builder.config(map=_secrets(conf)).getOrCreate()
        except (PySparkException, Py4JError) as error:
            reason = _first_problem(quiet) or str(error).strip().splitlines()[0]
            cure = "`lakelogic doctor` looks for the cause; -v shows all that Spark says."
            raise EngineUnavailable(f"Spark did not start: {reason}", cure=cure) from error


def end(session: SparkSession) -> None:
    """Stop a session, and the JVM that was started for it."""
    from pyspark import SparkContext

    session.stop()
    gateway = SparkContext._gateway
    if gateway is None:
        return
    # Else PySpark would talk to this JVM when it starts the next one.
    SparkContext._gateway = SparkContext._jvm = None
    gateway.shutdown()
    # It ends when its input does.
    gateway.proc.stdin.close()
    gateway.proc.wait()


def launch_settings(
    settings: Mapping[str, str], *, master: str, warehouse: Path, verbose: bool, iceberg: bool = False
) -> dict[str, str]:
    """What a new Spark is started with: defaults for this machine, the user's settings, and what table formats need."""
    local = master.startswith("local")
    conf = {"spark.app.name": "lakelogic", "spark.sql.warehouse.dir": str(warehouse.absolute())}
    conf |= _local_settings(master) if local else {}
    conf |= settings
    conf["spark.master"] = master
    conf["spark.sql.extensions"] = _joined(",", _DELTA_EXTENSION, settings.get("spark.sql.extensions"))
    conf["spark.sql.catalog.spark_catalog"] = _DELTA_CATALOG
    # In one JVM a class path starts faster than jars that Spark copies; executors elsewhere need them sent.
    carrier, separator = ("spark.driver.extraClassPath", os.pathsep) if local else ("spark.jars", ",")
    groups = ("delta", "iceberg") if iceberg else ("delta",)
    conf[carrier] = _joined(separator, *map(str, jar_paths(*groups)), settings.get(carrier))
    log = Path(__file__).with_name("log4j2.properties").as_uri()
    options = (f"-Dlog4j2.configurationFile={log}", f"-Dlakelogic.level={'warn' if verbose else 'error'}")
    conf["spark.driver.extraJavaOptions"] = _joined(" ", *options, settings.get("spark.driver.extraJavaOptions"))
    return conf


def _local_settings(master: str) -> dict[str, str]:
    return {
        "spark.driver.memory": _driver_memory(),
        "spark.driver.host": "127.0.0.1",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        # Contracts that run side by side get their turns; a long one does not hold up the others.
        "spark.scheduler.mode": "FAIR",
        # The defaults are made for clusters: 200 tasks to shuffle, 50 to read a Delta log, 10,000 to list a folder.
        "spark.sql.shuffle.partitions": str(min(max(_cores(master), 2), 16)),
        "spark.databricks.delta.snapshotPartitions": "1",
        "spark.sql.sources.parallelPartitionDiscovery.parallelism": "8",
    }


def _cores(master: str) -> int:
    if wanted := re.match(r"local\[(\d+)", master):
        return int(wanted[1])
    return 1 if master == "local" else os.cpu_count() or 2


def _driver_memory() -> str:
    """Half of the machine, or of the container, and at most 4 GB."""
    size = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    limit = Path("/sys/fs/cgroup/memory.max")
    if limit.exists() and (text := limit.read_text(encoding="ascii").strip()).isdigit():
        size = min(size, int(text))
    megabytes = size // 2 // 2**20
    return f"{min(max(megabytes, 1024), 4096)}m"


def _secrets(conf: Mapping[str, str]) -> dict[str, bool | float | int | str | None]:
    """What must not be seen in the arguments of a process; Spark redacts the same names."""
    return {name: value for name, value in conf.items() if _SECRET.search(name)}


def _joined(separator: str, *parts: str | None) -> str:
    return separator.join(part for part in parts if part)


def _start_jvm(conf: Mapping[str, str], output: IO[Any]) -> None:
    """Start the JVM with its output sent aside: our stdout is for data, and some of Spark's commands print there.

    PySpark lets it ignore SIGINT and die when this process ends, so Ctrl-C leaves none behind.
    """
    from pyspark import SparkConf, SparkContext
    from pyspark.java_gateway import launch_gateway

    hidden = _secrets(conf)
    shown = SparkConf(loadDefaults=False).setAll([pair for pair in conf.items() if pair[0] not in hidden])
    # A Connect server of our own (SPARK_REMOTE=local) is first a plain Spark, whose launcher refuses that variable.
    remote = os.environ.pop("SPARK_REMOTE", None)
    try:
        with uninterrupted():
            gateway = launch_gateway(shown, popen_kwargs={"stdout": output, "stderr": output})
        SparkContext._ensure_initialized(gateway=gateway)
    finally:
        if remote is not None:
            os.environ["SPARK_REMOTE"] = remote


def _first_problem(log: IO[bytes]) -> str | None:
    log.seek(0)
    lines = [line.strip() for line in log.read().decode(errors="replace").splitlines() if line.strip()]
    telling = [line for line in lines if re.search(r"error|exception|invalid|could not", line, re.IGNORECASE)]
    return next(iter(telling), None)
