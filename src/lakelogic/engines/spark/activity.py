"""Spark's own account of its running stages; only a classic session has one."""

from __future__ import annotations

import sys

from lakelogic.engines.base import Tasks


def tasks() -> Tasks | None:
    """Tasks of the active stages; None without a classic session, or when nothing runs."""
    # Whoever asks must not be the one who loads Spark.
    if "pyspark.sql" not in sys.modules:
        return None
    from py4j.protocol import Py4JError
    from pyspark import SparkContext

    context = SparkContext._active_spark_context
    # It is active before its Java half is there, and still when that is gone.
    if getattr(context, "_jsc", None) is None or context is None:
        return None
    try:
        tracker = context.statusTracker()
        stages = [tracker.getStageInfo(stage) for stage in tracker.getActiveStageIds()]
    except (Py4JError, OSError):
        # The session is closing; nobody needs to know how far it was.
        return None
    known = [stage for stage in stages if stage is not None]
    total = sum(stage.numTasks for stage in known)
    return Tasks(sum(stage.numCompletedTasks for stage in known), total) if total else None
