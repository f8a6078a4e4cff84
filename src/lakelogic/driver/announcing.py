"""A run of the driver, announced to whoever follows lineage and traces."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime

from lakelogic.driver.summary import Summary
from lakelogic.observe.lineage.events import Events, EventType, Parent
from lakelogic.observe.lineage.sending import Sender, sender_of
from lakelogic.observe.traces import Span, span
from lakelogic.project import Project


@contextmanager
def announced(project: Project | None, run_id: str) -> Iterator[Callable[[Summary], None]]:
    """Around a run of the driver: its beginning and its end are told, also if it raises. No project: nobody is told."""
    sender = sender_of(project) if project is not None else None
    events = Events(sender.namespace, run_id, Parent.of_process()) if sender else None
    came_to: list[Summary] = []
    with span("pipeline", pipeline_run_id=run_id) as traced:
        _send(sender, events, "START")
        try:
            yield came_to.append
        finally:
            summary = came_to[0] if came_to else None
            _note(traced, summary)
            _send(sender, events, _kind(summary), _wrong(summary))


def _send(sender: Sender | None, events: Events | None, kind: EventType, error: str | None = None) -> None:
    if sender is not None and events is not None:
        sender.send(lambda: events.of_pipeline(kind, datetime.now(UTC), error))


def _kind(summary: Summary | None) -> EventType:
    if summary is None or summary.interrupted:
        return "ABORT"
    return "FAIL" if summary.exit_code else "COMPLETE"


def _wrong(summary: Summary | None) -> str | None:
    """The first contract that went wrong."""
    found = next((each for each in summary.outcomes if each.exit_code), None) if summary else None
    return f"'{found.contract}': {found.reason}" if found else None


def _note(traced: Span, summary: Summary | None) -> None:
    if summary is None:
        return
    traced.note(exit_code=summary.exit_code, contracts=len(summary.outcomes))
    traced.note(**{f"contracts.{status}": count for status, count in summary.counts.items()})
    if (why := _wrong(summary)) is not None:
        traced.failed(why)
