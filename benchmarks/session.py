"""The Spark that every way is measured on: one set of settings, those of the product's own local sessions."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from benchmarks.orders import WORK

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

MASTER = "local[2]"
MEMORY = "2g"


def settings(memory: str = MEMORY, java_options: str = "") -> dict[str, str]:
    """What Spark is started with. Peers get the same, though they start it in an environment of their own."""
    from lakelogic.engines.spark.launch import launch_settings

    wanted = {"spark.driver.memory": memory, "spark.driver.extraJavaOptions": java_options}
    return launch_settings(wanted, master=MASTER, warehouse=WORK / "warehouse", verbose=False)


def start(conf: Mapping[str, str]) -> SparkSession:
    """A session with these settings, started as anybody would."""
    from pyspark.sql import SparkSession

    return SparkSession.builder.config(map=dict(conf)).getOrCreate()
