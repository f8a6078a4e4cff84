"""What the strategies mean, in plain Python: changes are taken in their order, one by one."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from tests.conformance.strategies.target import at

FIRST = datetime(1900, 1, 1, tzinfo=UTC)
LAST = datetime(9999, 12, 31, tzinfo=UTC)


@dataclass(frozen=True)
class Event:
    """A change of a key at an hour: a row, or a delete."""

    key: int
    hour: int
    value: str | None = None
    note: str | None = None
    deletes: bool = False

    def row(self) -> dict[str, Any]:
        op = "d" if self.deletes else "u"
        return {"id": self.key, "at": at(self.hour), "value": self.value, "note": self.note, "op": op}


def in_order(events: Iterable[Event]) -> list[Event]:
    """Older ones first; at the same time deletes, then rows with lower values."""

    def order(event: Event) -> tuple[Any, ...]:
        texts = [(text is not None, text or "") for text in (event.value, event.note)]
        return (event.hour, not event.deletes, *texts)

    ordered = sorted(events, key=order)
    # Of changes at one instant only the last was ever true.
    return [e for i, e in enumerate(ordered) if not any((e.key, e.hour) == (o.key, o.hour) for o in ordered[i + 1 :])]


def merged(events: Iterable[Event]) -> list[tuple[Any, ...]]:
    """The newest row of each key, but for those that were deleted since."""
    table: dict[int, Event] = {}
    for event in in_order(events):
        if event.deletes:
            table.pop(event.key, None)
        else:
            table[event.key] = event
    return sorted(((e.key, at(e.hour), e.value, e.note) for e in table.values()), key=str)


def softly_merged(events: Iterable[Event]) -> list[tuple[Any, ...]]:
    """The newest row of each key, and when it was deleted since."""
    table: dict[int, tuple[Event, int | None]] = {}
    for event in in_order(events):
        if not event.deletes:
            table[event.key] = event, None
        elif event.key in table:
            table[event.key] = table[event.key][0], event.hour
    return sorted(
        ((e.key, e.value, gone is not None, None if gone is None else at(gone)) for e, gone in table.values()), key=str
    )


@dataclass
class Version:
    """A version of a row, open until it is ended."""

    event: Event
    begin: datetime
    reason: str
    end: datetime | None = None


def history(events: Iterable[Event], *, all_tracked: bool) -> list[tuple[Any, ...]]:
    """Every version of each key: a row that changes nothing that is tracked begins none."""
    keys: dict[int, list[Version]] = {}
    newest: dict[int, Event] = {}
    for event in in_order(events):
        versions = keys.setdefault(event.key, [])
        last = versions[-1] if versions else None
        if event.deletes:
            if last and last.end is None:
                last.end = at(event.hour)
            continue
        newest[event.key] = event
        if last and last.end is None and _same(last.event, event, all_tracked=all_tracked):
            continue
        reason = "initial" if last is None else "changed" if last.end is None else "returned"
        if last and last.end is None:
            last.end = at(event.hour)
        versions.append(Version(event, at(event.hour) if last else FIRST, reason))
    return sorted(
        (
            (key, v.event.value, v.event.note if all_tracked else newest[key].note, v.begin, v.end or LAST, v.end is None, n, v.reason)
            for key, versions in keys.items()
            for n, v in enumerate(versions, 1)
        ),
        key=str,
    )  # fmt: skip


def _same(one: Event, other: Event, *, all_tracked: bool) -> bool:
    return one.value == other.value and (not all_tracked or one.note == other.note)
