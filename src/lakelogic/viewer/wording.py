"""How states, ages and counts are told beside a box."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Literal

from lakelogic.viewer.runs import NEVER, UNFINISHED
from lakelogic.viewer.view import Box

Mood = Literal["good", "idle", "bad", "doubtful", "never"]

_MOODS: dict[str, Mood] = {"succeeded": "good", "no_new_data": "idle", "failed": "bad", NEVER: "never"}
_WORDS = {"no_new_data": "nothing new", "awaiting_approval": "awaits approval"}


def mood(box: Box) -> Mood:
    """How a contract fares, in one of five words; what is outside has no runs."""
    return _MOODS.get(box.runs.state, "doubtful")


def state(box: Box) -> str:
    """The state of the last run in words."""
    return _WORDS.get(box.runs.state, box.runs.state)


def summary(box: Box, now: datetime) -> str:
    """The line under a name: rows, bad rows, age; or what went wrong."""
    runs = box.runs
    if runs.state == NEVER:
        return NEVER
    parts = [] if runs.state in ("succeeded", "no_new_data") else [state(box)]
    if runs.state in ("succeeded", "no_new_data") and runs.wrote is not None:
        parts.append(f"{counted(runs.wrote.counts_good)} rows")
        if runs.wrote.counts_quarantined:
            parts.append(f"{runs.wrote.counts_quarantined:,} bad")
    elif runs.state == "no_new_data":
        parts.append(state(box))
    since = runs.unfinished_since if runs.state == UNFINISHED else runs.last.ended_at if runs.last else None
    if since is not None:
        parts.append(age(now - since))
    return " · ".join(parts)


def counted(value: int | None) -> str:
    """A count; one that is not known says so."""
    return "?" if value is None else f"{value:,}"


def age(passed: timedelta) -> str:
    """How long ago something was, in one unit."""
    seconds = max(passed.total_seconds(), 0)
    for size, unit in ((86400, "d"), (3600, "h"), (60, "min")):
        if seconds >= size * (2 if unit != "min" else 1):
            return f"{int(seconds // size)} {unit} ago"
    return "just now"
