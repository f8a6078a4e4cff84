"""Opens the Spark engine for a run."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from lakelogic.engines.spark.engine import SparkEngine
from lakelogic.engines.spark.session import active_session, open_session, require_delta

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_ours: list[int] = []


def open_spark(
    session: SparkSession | None, settings: Mapping[str, str], *, master: str | None, warehouse: Path, verbose: bool
) -> SparkEngine:
    """The engine on the session that was handed in or is active, else on a new one.

    Raises:
        EngineUnavailable: Java, PySpark or Delta is missing.
    """
    found = session or active_session()
    if found is None:
        found = open_session(settings, master=master, warehouse=warehouse, verbose=verbose)
        _ours.append(id(found))
    elif id(found) not in _ours:
        require_delta(found)
        return SparkEngine(found, None)
    return SparkEngine(found, warehouse)
