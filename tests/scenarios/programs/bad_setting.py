"""A program whose Spark can't start."""

from __future__ import annotations

from pathlib import Path

from lakelogic.engines.spark.session import open_session
from lakelogic.errors import EngineUnavailable

try:
    open_session({"spark.driver.memory": "lots"}, master=None, warehouse=Path("unused"), verbose=False)
except EngineUnavailable as error:
    print(error)
