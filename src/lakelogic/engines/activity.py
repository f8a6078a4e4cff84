"""How far the engine is with the work under way, for whoever waits for it."""

from __future__ import annotations

from lakelogic.engines.base import Tasks
from lakelogic.engines.spark.activity import tasks


def tasks_under_way() -> Tasks | None:
    """What the engine tells of its work; None where it is idle, or can't tell."""
    return tasks()
