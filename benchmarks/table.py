"""The results on the screen."""

from __future__ import annotations

from rich.console import Console
from rich.table import Table

from benchmarks.results import Results, goals, lines


def show(results: Results, console: Console) -> None:
    """Ways, then goals."""
    ways = Table(title="From orders in parquet to Delta tables", title_justify="left")
    for name in ("way", "rows", "seconds", "CPU seconds", "× floor"):
        ways.add_column(name, justify="left" if name == "way" else "right")
    for line in lines(results):
        title = f"{line.title} ({line.note})" if line.note else line.title
        ways.add_row(title, f"{line.rows:,}", number(line.seconds), number(line.cpu_seconds), number(line.ratio))
    kept = Table(title="Goals", title_justify="left")
    for name in ("what", "wanted", "measured", ""):
        kept.add_column(name)
    for goal in goals(results):
        kept.add_row(goal.title, goal.wanted, goal.measured, "[green]met[/]" if goal.met else "[red]missed[/]")
    console.print(ways)
    console.print(kept)


def number(value: float | None) -> str:
    return "–" if value is None else f"{value:.2f}"
