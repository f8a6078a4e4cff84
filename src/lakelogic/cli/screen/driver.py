"""The summary of a run of the driver, at its end."""

from __future__ import annotations

from collections.abc import Iterator

from rich.console import Console, Group, RenderableType
from rich.table import Table
from rich.text import Text

from lakelogic.cli.screen.layout import has_room_for_reasons, headed, joined, line, mark, section
from lakelogic.driver.summary import Outcome, Summary
from lakelogic.wording import counted, number, one_line, seconds, shortened

_KINDS = {
    "succeeded": "good",
    "no_new_data": "idle",
    "done_before": "idle",
    "planned": "idle",
    "passed_over": "idle",
    "failed": "bad",
    "interrupted": "bad",
}
STATUS_TEXTS = {"no_new_data": "nothing new", "done_before": "done before", "passed_over": "not meant",
          "awaiting_approval": "awaits approval"}  # fmt: skip
_NAME_WIDTH = 32


def summary_view(summary: Summary, console: Console) -> RenderableType:
    """What became of each contract, and how all of it ended."""
    table = _table(summary, console)
    reasons = has_room_for_reasons(table, console)
    if reasons:
        table = _table(summary, console, reasons=True)
    parts: list[RenderableType] = [_head(summary, console), "", table]
    parts += [] if reasons else _told_below(summary, console)
    notes = [
        *summary.not_recorded,
        *summary.notes,
        *(f"{o.contract}: {text}" for o in summary.outcomes for text in o.warnings),
    ]
    if saved := summary.references:
        notes.append(f"references: {saved['read']} read, {counted(saved['saved'], 'time')} taken from the cache")
    if notes:
        parts.append(section("Notes", *(line(note, "yellow") for note in notes)))
    return Group(*parts)


def _head(summary: Summary, console: Console) -> RenderableType:
    took = (summary.ended - summary.started).total_seconds()
    counts = [f"{count} {STATUS_TEXTS.get(status, status)}" for status, count in summary.counts.items()]
    sign = mark(console, "bad" if summary.exit_code else "good")
    name = (f"run {summary.pipeline_run_id}", "bold")
    return Text.assemble(sign, " ", name, (f"  {joined([*counts, seconds(took)])}", "dim"))


def _table(summary: Summary, console: Console, *, reasons: bool = False) -> Table:
    windows = len({outcome.window for outcome in summary.outcomes}) > 1
    table = headed(
        ("", "left"), ("Contract", "left"), ("Layer", "left"), *((("Window", "left"),) if windows else ()),
        ("Status", "left"), ("Rows", "right"), ("Quarantined", "right"), ("Time", "right"),
        *((("Because", "wrap"),) if reasons else ()),
    )  # fmt: skip
    for outcome in summary.outcomes:
        counts = outcome.result.counts if outcome.result else None
        table.add_row(
            mark(console, kind_of(outcome)),
            Text(shortened(one_line(outcome.contract), _NAME_WIDTH), style="bold"),
            outcome.layer or "-",
            *([outcome.window] if windows else []),
            STATUS_TEXTS.get(outcome.status, outcome.status),
            number(counts.good) if counts else "-",
            number(counts.quarantined) if counts else "-",
            seconds(outcome.seconds) if outcome.seconds else "-",
            *([line(outcome.reason, "" if outcome.exit_code else "dim")] if reasons else []),
        )
    return table


def _told_below(summary: Summary, console: Console) -> Iterator[RenderableType]:
    """Where there is no room for reasons in the table, those of what went wrong stand below it."""
    for outcome in summary.outcomes:
        if outcome.exit_code:
            yield Text.assemble(mark(console, kind_of(outcome)), f" {outcome.contract}: ", line(outcome.reason))


def kind_of(outcome: Outcome) -> str:
    """The mark of an outcome."""
    if outcome.fine and outcome.exit_code:
        return "bad"
    return _KINDS.get(outcome.status, "doubtful")
