"""Spark: imported only when a run asks for it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lakelogic.engines.opening import EngineKind, EngineSettings, Progress, engines
from lakelogic.sql.render import to_spark

if TYPE_CHECKING:
    from lakelogic.engines.spark.engine import SparkEngine


def open_engine(settings: EngineSettings, progress: Progress) -> SparkEngine:
    """The Spark engine on the session that is there, else on a new one."""
    from lakelogic.engines.spark.factory import open_spark

    progress("starting Spark")
    return open_spark(settings)


engines.add("spark")(EngineKind(to_spark, open_engine))
