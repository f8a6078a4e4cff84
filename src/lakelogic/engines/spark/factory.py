"""Opens the Spark engine for a run."""

from __future__ import annotations

from threading import Lock

from lakelogic.engines.opening import EngineSettings
from lakelogic.engines.spark.engine import SparkEngine
from lakelogic.engines.spark.launch import end
from lakelogic.engines.spark.session import active_session, open_session, require_delta, take_turns

_ours: list[int] = []
# Contracts that run side by side share one Spark, which the first of them starts.
_starting = Lock()


def open_spark(settings: EngineSettings) -> SparkEngine:
    """The engine on the session that was handed in or is active, else on a new one.

    Raises:
        EngineUnavailable: Java, PySpark or Delta is missing.
    """
    with _starting:
        found = settings.session or active_session()
        if found is None:
            found = open_session(
                settings.spark,
                master=settings.master,
                warehouse=settings.warehouse,
                verbose=settings.verbose,
                iceberg="iceberg" in settings.formats,
            )
            _ours.append(id(found))
    if id(found) not in _ours:
        require_delta(found)
        return SparkEngine(found, None)
    take_turns(found)
    return SparkEngine(found, settings.warehouse)


def end_spark() -> None:
    """End the Spark that was started here; one that the program had before is left as it is."""
    with _starting:
        found = active_session()
        if found is not None and id(found) in _ours:
            _ours.remove(id(found))
            end(found)
