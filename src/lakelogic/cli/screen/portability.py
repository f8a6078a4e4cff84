"""Whether engines agree, as a person wants to see it: a certificate, or the cells that differ."""

from __future__ import annotations

from rich.console import Console, Group, RenderableType
from rich.text import Text

from lakelogic.cli.screen.layout import headed, line, mark, section
from lakelogic.portability.verify import Verdict
from lakelogic.wording import counted, number, one_line, seconds, shortened

_SHOWN = 20
_CELL = 40


def verdict_view(verdict: Verdict, console: Console) -> RenderableType:
    """The verdict, the engines, and every difference up to a screenful."""
    sign = mark(console, "good" if verdict.is_portable else "bad")
    head = Text.assemble(sign, " ", (verdict.contract, "bold"), f"  {_sentence(verdict)}")
    unseen = [line(f"  rows are made for the model: {verdict.unseen}", "dim")] if verdict.unseen else []
    if verdict.unseen and verdict.refusals:
        unseen.append(line("  the rows may be what is refused; run the contracts that write its sources first", "dim"))
    parts = [section("Engines", _engines(verdict, console))]
    if verdict.differences:
        parts.append(section(f"Differences  {_how_many(verdict)}", _differences(verdict)))
    refused = [line(f"{trial.engine}: {trial.refusal}", "red") for trial in verdict.refusals]
    return Group(head, *unseen, *parts, *([section("Refused", *refused)] if refused else []))


def _sentence(verdict: Verdict) -> str:
    about = f"{counted(verdict.rows, 'row')} and {counted(verdict.rules, 'rule')}"
    if verdict.is_portable:
        return f"means the same on {_listed([trial.engine for trial in verdict.trials])}: {about}, every cell alike"
    if verdict.differences:
        return f"does not mean the same everywhere: {counted(len(verdict.differences), 'difference')} in {about}"
    return f"is not portable: {_listed([trial.engine for trial in verdict.refusals])} refused it"


def _how_many(verdict: Verdict) -> str:
    total = len(verdict.differences)
    return f"{_SHOWN} of {number(total)}" if total > _SHOWN else number(total)


def _engines(verdict: Verdict, console: Console) -> RenderableType:
    numbers = ((heading, "right") for heading in ("Good", "Quarantined", "Time"))
    table = headed(("", "left"), ("Engine", "left"), *numbers)
    for trial in verdict.trials:
        differs = trial.refusal or any(item.engine == trial.engine for item in verdict.differences)
        counts = trial.result.counts if trial.result else None
        table.add_row(
            mark(console, "bad" if differs else "good"),
            trial.engine,
            number(counts.good) if counts else "-",
            number(counts.quarantined) if counts else "-",
            seconds(trial.seconds),
        )
    return table


def _differences(verdict: Verdict) -> RenderableType:
    headings = ("Where", "Column", verdict.oracle, "Other", "Engine", "Row")
    table = headed(*((heading, "left") for heading in headings))
    for item in verdict.differences[:_SHOWN]:
        cells = (item.where, item.column, item.expected, item.found, item.engine, item.row)
        table.add_row(*(Text(shortened(one_line(text), _CELL)) for text in cells))
    return table


def _listed(names: list[str]) -> str:
    return " and ".join(filter(None, (", ".join(names[:-1]), names[-1])))
