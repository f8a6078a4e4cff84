"""PySpark's own log of errors is off while we work, and as it was afterwards."""

from __future__ import annotations

import subprocess
import sys

from pyspark.logger import PySparkLogger

from lakelogic.engines.spark.quiet import quiet_errors

NAME = "SQLQueryContextLogger"
PROGRAM = f"""
from pyspark.logger import PySparkLogger
from lakelogic.engines.spark.quiet import quiet_errors
log = PySparkLogger.getLogger("{NAME}")
with quiet_errors():
    with quiet_errors():
        log.error("innermost", errorClass="X")
    log.error("inside", errorClass="X")
log.error("outside", errorClass="X")
"""


def test_what_pyspark_logs_inside_reaches_nobody() -> None:
    done = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, text=True, check=True)
    assert "inside" not in done.stderr
    assert "innermost" not in done.stderr
    assert "outside" in done.stderr


def test_nothing_of_ours_stays_on_its_loggers() -> None:
    before = list(PySparkLogger.getLogger(NAME).filters)
    with quiet_errors():
        assert PySparkLogger.getLogger(NAME).filters != before
    assert PySparkLogger.getLogger(NAME).filters == before
