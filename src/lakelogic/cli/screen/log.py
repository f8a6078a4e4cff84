"""The run log as a table."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path

from rich.console import Console, Group, RenderableType
from rich.text import Text

from lakelogic.cli.screen.consoles import is_narrow
from lakelogic.cli.screen.layout import headed, line, mark
from lakelogic.cli.screen.wording import number, one_line, seconds, share, shortened

_KINDS = {"succeeded": "good", "no_new_data": "good", "failed": "bad"}
_TEXTS = {"no_new_data": "nothing new"}

# On a narrow screen a moment has neither year nor seconds.
_YEAR, _MINUTE = 5, 16

Run = Mapping[str, object]


def runs_view(runs: Sequence[Run], total: int, folder: Path, console: Console) -> RenderableType:
    """The newest runs, the last one below."""
    if not runs:
        return line(f"No run is in the log of {folder}.")
    narrow = is_narrow(console)
    table = headed(
        ("", "left"), ("Started (UTC)", "left"), ("Contract", "left"), ("Status", "left"), ("Source", "right"),
        ("Good", "right"), ("Bad", "right"), ("Ratio", "right"), ("Time", "right"),
        *(() if narrow else (("Because", "wrap"),)),
    )  # fmt: skip
    for run in runs:
        table.add_row(*_cells(run, console, narrow))
    left_out = total - len(runs)
    more = [line(f"and {left_out:,} before; --limit shows more", "dim")] if left_out else []
    return Group(table, *more, *(_failures(runs, console) if narrow else ()))


def _failures(runs: Sequence[Run], console: Console) -> Iterator[RenderableType]:
    """Where there is no room for reasons in the table, those of failed runs stand below it."""
    for run in runs:
        if run.get("error"):
            yield Text.assemble(mark(console, "bad"), f" {_moment(run.get('started_at'))} ", line(run["error"], "red"))


def _cells(run: Run, console: Console, narrow: bool) -> list[RenderableType]:
    status = str(run["status"])
    because = Text(one_line(run.get("error") or run.get("reason") or ""), style="red" if run.get("error") else "dim")
    name = one_line(run["contract"])
    cells: list[RenderableType] = [
        mark(console, _KINDS.get(status, "doubtful")),
        Text(_moment(run.get("started_at"))[_YEAR if narrow else 0 : _MINUTE if narrow else None], style="dim"),
        Text(shortened(name, 18) if narrow else name, style="bold"),
        Text(_TEXTS.get(status, status)),
        *(Text(_count(run, name)) for name in ("counts_source", "counts_good", "counts_quarantined")),
        Text(_ratio(run)),
        Text(_duration(run)),
    ]
    return cells if narrow else [*cells, because]


def _moment(value: object) -> str:
    return value.astimezone(UTC).strftime("%Y-%m-%d %H:%M:%S") if isinstance(value, datetime) else "unknown"


def _count(run: Run, name: str) -> str:
    value = run.get(name)
    if value is None:
        return "-" if run["status"] == "failed" else number(None)
    return number(int(str(value)))


def _ratio(run: Run) -> str:
    value = run.get("quarantine_ratio")
    return "-" if value is None else share(float(str(value)), 1)


def _duration(run: Run) -> str:
    value = run.get("duration_seconds")
    return "-" if value is None else seconds(float(str(value)))
