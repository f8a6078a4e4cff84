"""How far the engine is with the work under way, for whoever waits for it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Tasks:
    """Tasks of the stages that run now."""

    done: int
    total: int


def tasks_under_way() -> Tasks | None:
    """What the engine tells of its work; None where it is idle, or can't tell."""
    from lakelogic.engines.spark.activity import tasks

    return tasks()
