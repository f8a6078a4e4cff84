"""The run log as a table."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path

from rich.console import Console, Group, RenderableType
from rich.table import Table
from rich.text import Text

from lakelogic.cli.screen.layout import has_room_for_reasons, headed, line, mark, width_of
from lakelogic.observe.history import Found, Run
from lakelogic.wording import number, one_line, rounded, seconds, share, shortened

KINDS = {"succeeded": "good", "no_new_data": "idle", "failed": "bad"}
_TEXTS = {"no_new_data": "nothing new", "awaiting_approval": "awaits approval"}
_COUNTS = ("counts_source", "counts_good", "counts_quarantined")
# Runs that never wrote have no counts to be unknown.
_UNCOUNTED = ("failed", "skipped", "blocked", "awaiting_approval")
_NAME_WIDTH = 20
_ENDING = 8


def runs_view(found: Found, folder: Path, console: Console, *, filtered: bool = False) -> RenderableType:
    """The newest runs, the last one on top; as much of each as there is room for."""
    runs = found.runs
    if not runs:
        asked, cure = (
            ("that is asked for ", "") if filtered else ("", " --project names the folder of another project.")
        )
        return line(f"No run {asked}is in the log of {folder}.{cure}")
    table = _table(runs, console)
    reasons = has_room_for_reasons(table, console)
    if reasons:
        table = _table(runs, console, reasons=True)
    elif width_of(table, console) > console.width:
        table = _short_table(runs, console)
    parts: list[RenderableType] = [table]
    if found.total > len(runs):
        parts.append(line(f"and {found.total - len(runs):,} before; --limit shows more", "dim"))
    return Group(*parts, *(() if reasons else _failures(runs, console)))


def _table(runs: Sequence[Run], console: Console, *, reasons: bool = False) -> Table:
    table = headed(
        ("", "left"), ("Run", "left"), ("Started (UTC)", "left"), ("Contract", "left"), ("Layer", "left"),
        ("Status", "left"), ("Source", "right"), ("Good", "right"), ("Bad", "right"), ("Ratio", "right"),
        ("Time", "right"), *((("Because", "wrap"),) if reasons else ()),
    )  # fmt: skip
    for run in runs:
        told = line(run.error or run.reason or "", "red" if run.error else "dim")
        table.add_row(
            sign(run, console),
            line(ending(run)),
            Text(moment(run.started_at), style="dim"),
            line(run.contract, "bold"),
            line(run.layer or "-"),
            status(run),
            *(_count(run, name, number) for name in _COUNTS),
            _ratio(run),
            _duration(run),
            *([told] if reasons else []),
        )
    return table


def _short_table(runs: Sequence[Run], console: Console) -> Table:
    """Rounded counts, and a mark in place of the status."""
    table = headed(
        ("", "left"), ("Run", "left"), ("Started", "left"), ("Contract", "left"), ("Source", "right"),
        ("Good", "right"), ("Bad", "right"), ("Ratio", "right"), ("Time", "right"),
    )  # fmt: skip
    for run in runs:
        table.add_row(
            sign(run, console),
            line(ending(run)),
            Text(moment(run.started_at)[5:16], style="dim"),
            Text(shortened(one_line(run.contract), _NAME_WIDTH), style="bold"),
            *(_count(run, name, rounded) for name in _COUNTS),
            _ratio(run),
            _duration(run),
        )
    return table


def _failures(runs: Sequence[Run], console: Console) -> Iterator[RenderableType]:
    """Where there is no room for reasons in the table, those of failed runs stand below it."""
    for run in runs:
        if run.error:
            yield Text.assemble(mark(console, "bad"), f"  {ending(run)}  ", line(run.error, "red"))


def sign(run: Run, console: Console) -> Text:
    return mark(console, KINDS.get(str(run.status), "doubtful"))


def status(run: Run) -> str:
    return _TEXTS.get(str(run.status), one_line(run.status))


def ending(run: Run) -> str:
    """How a run's id ends, which is enough to name it; the beginning is the time that stands beside it."""
    return run.run_id[-_ENDING:]


def moment(value: datetime | None) -> str:
    return value.astimezone(UTC).strftime("%Y-%m-%d %H:%M:%S") if value is not None else "unknown"


def _count(run: Run, name: str, shown: Callable[[int | None], str]) -> str:
    value: int | None = getattr(run, name)
    return "-" if value is None and run.status in _UNCOUNTED else shown(value)


def _ratio(run: Run) -> str:
    return "-" if run.quarantine_ratio is None else share(run.quarantine_ratio, 1)


def _duration(run: Run) -> str:
    return "-" if run.duration_seconds is None else seconds(run.duration_seconds)
