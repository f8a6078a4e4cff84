"""A command that works on Spark for hours: tells about its JVM, and waits to be interrupted."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from types import ModuleType

from lakelogic.cli import main as cli


def command(warehouse: Path) -> None:
    """Work for hours."""
    from pyspark import SparkContext

    from lakelogic.engines.spark.session import open_session

    settings = {"spark.hadoop.fs.s3a.secret.key": "swordfish", "spark.driver.memory": "1g"}
    session = open_session(settings, master="local[1]", warehouse=warehouse, verbose=False)
    jvm = str(SparkContext._gateway.proc.pid)  # type: ignore[union-attr]
    asked = subprocess.run(["ps", "-ww", "-o", "args=", "-p", jvm], capture_output=True, text=True, check=True)
    print(jvm, session.conf.get("spark.hadoop.fs.s3a.secret.key"), asked.stdout.strip(), sep="\n", flush=True)
    session.range(10**13).selectExpr("sum(id * id % 7)").collect()


module = ModuleType("lakelogic.cli.busy")
module.command = command  # type: ignore[attr-defined]
sys.modules["lakelogic.cli.busy"] = module
cli.COMMANDS = {"busy": "Work for hours."}
sys.exit(cli.main())
