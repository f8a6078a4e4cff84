"""The run log as a table."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path

from rich.console import Console, Group, RenderableType
from rich.table import Table
from rich.text import Text

from lakelogic.cli.screen.layout import headed, line, mark
from lakelogic.cli.screen.wording import number, one_line, rounded, seconds, share, shortened

_KINDS = {"succeeded": "good", "no_new_data": "idle", "failed": "bad"}
_TEXTS = {"no_new_data": "nothing new"}
_COUNTS = ("counts_source", "counts_good", "counts_quarantined")
# Narrower, a reason is a tower of single words.
_REASON_WIDTH = 40
_NAME_WIDTH = 20

Run = Mapping[str, object]


def runs_view(runs: Sequence[Run], total: int, folder: Path, console: Console) -> RenderableType:
    """The newest runs, the last one below; as much of each as there is room for."""
    if not runs:
        return line(f"No run is in the log of {folder}.")
    table = _table(runs, console)
    width = console.measure(table, options=console.options.update(max_width=10_000)).maximum
    reasons = width + _REASON_WIDTH <= console.width
    if reasons:
        table = _table(runs, console, reasons=True)
    elif width > console.width:
        table = _short_table(runs, console)
    parts: list[RenderableType] = [table]
    if total > len(runs):
        parts.append(line(f"and {total - len(runs):,} before; --limit shows more", "dim"))
    return Group(*parts, *(() if reasons else _failures(runs, console)))


def _table(runs: Sequence[Run], console: Console, *, reasons: bool = False) -> Table:
    table = headed(
        ("", "left"), ("Started (UTC)", "left"), ("Contract", "left"), ("Status", "left"), ("Source", "right"),
        ("Good", "right"), ("Bad", "right"), ("Ratio", "right"), ("Time", "right"),
        *((("Because", "wrap"),) if reasons else ()),
    )  # fmt: skip
    for run in runs:
        status = str(run["status"])
        told = line(run.get("error") or run.get("reason") or "", "red" if run.get("error") else "dim")
        table.add_row(
            mark(console, _KINDS.get(status, "doubtful")),
            Text(_moment(run), style="dim"),
            line(run["contract"], "bold"),
            _TEXTS.get(status, one_line(status)),
            *(_count(run, name, number) for name in _COUNTS),
            _ratio(run),
            _duration(run),
            *([told] if reasons else []),
        )
    return table


def _short_table(runs: Sequence[Run], console: Console) -> Table:
    """Rounded counts, and a mark in place of the status."""
    table = headed(
        ("", "left"), ("Started", "left"), ("Contract", "left"), ("Source", "right"), ("Good", "right"),
        ("Bad", "right"), ("Ratio", "right"), ("Time", "right"),
    )  # fmt: skip
    for run in runs:
        table.add_row(
            mark(console, _KINDS.get(str(run["status"]), "doubtful")),
            Text(_moment(run)[5:16], style="dim"),
            Text(shortened(one_line(run["contract"]), _NAME_WIDTH), style="bold"),
            *(_count(run, name, rounded) for name in _COUNTS),
            _ratio(run),
            _duration(run),
        )
    return table


def _failures(runs: Sequence[Run], console: Console) -> Iterator[RenderableType]:
    """Where there is no room for reasons in the table, those of failed runs stand below it."""
    for run in runs:
        if run.get("error"):
            yield Text.assemble(mark(console, "bad"), f"  {_moment(run)}  ", line(run["error"], "red"))


def _moment(run: Run) -> str:
    value = run.get("started_at")
    return value.astimezone(UTC).strftime("%Y-%m-%d %H:%M:%S") if isinstance(value, datetime) else "unknown"


def _count(run: Run, name: str, shown: Callable[[int | None], str]) -> str:
    value = run.get(name)
    if value is None:
        return "-" if run["status"] == "failed" else shown(None)
    return shown(int(str(value)))


def _ratio(run: Run) -> str:
    value = run.get("quarantine_ratio")
    return "-" if value is None else share(float(str(value)), 1)


def _duration(run: Run) -> str:
    value = run.get("duration_seconds")
    return "-" if value is None else seconds(float(str(value)))
