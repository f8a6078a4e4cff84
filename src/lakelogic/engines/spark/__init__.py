"""Spark: imported only when a run asks for it."""

from __future__ import annotations

import os
import shutil
import sys
from typing import TYPE_CHECKING

from lakelogic.engines.abilities import FILES, Ability
from lakelogic.engines.opening import EngineKind, EngineSettings, Progress, engines, packages
from lakelogic.sql.render import to_spark

if TYPE_CHECKING:
    from lakelogic.engines.spark.engine import SparkEngine


def open_engine(settings: EngineSettings, progress: Progress) -> SparkEngine:
    """The Spark engine on the session that is there, else on a new one."""
    from lakelogic.engines.spark.factory import open_spark

    progress("starting Spark")
    return open_spark(settings)


def missing() -> str | None:
    """What a new session of Spark needs and this machine lacks, as far as it is told without starting anything."""
    if lacking := packages("pyspark")():
        return lacking
    java = "SPARK_REMOTE" in os.environ or "JAVA_HOME" in os.environ or shutil.which("java")
    return None if java else "Java is not found"


def end() -> None:
    """End the Spark that runs of this process have started."""
    if "pyspark" in sys.modules:
        from lakelogic.engines.spark.factory import end_spark

        end_spark()


WRITES = {
    "delta": Ability(clusters=True, storage=True),
    "iceberg": Ability(storage=True),
    **FILES,
}

engines.add("spark")(EngineKind(to_spark, open_engine, missing, writes=WRITES, end=end))
