"""A program that has a Spark session of its own, without Delta."""

from __future__ import annotations

from pathlib import Path

from pyspark.sql import SparkSession

from lakelogic.engines.spark.session import open_session
from lakelogic.errors import EngineUnavailable

SparkSession.builder.master("local[1]").config("spark.ui.enabled", "false").getOrCreate()
try:
    open_session({}, master=None, warehouse=Path("unused"), verbose=False)
except EngineUnavailable as error:
    print(error)
