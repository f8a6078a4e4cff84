"""What a run did, as a person wants to see it: counts, failed rules, tables written, time, what next."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from rich.console import Console, Group, RenderableType
from rich.table import Table
from rich.text import Text

from lakelogic.cli.screen.consoles import is_narrow
from lakelogic.cli.screen.exports import exports_view
from lakelogic.cli.screen.layout import GAP, INDENT, filled, grid, headed, indented, joined, line, mark, place, section
from lakelogic.cli.screen.next import next_view
from lakelogic.cli.screen.rows import rows_view
from lakelogic.engines.base import Committed
from lakelogic.run.looking import SafeRows
from lakelogic.run.result import RuleResult, RunResult
from lakelogic.wording import (
    HIDDEN,
    cell,
    counted,
    measured,
    number,
    one_line,
    seconds,
    share,
    shortened,
)

_TOP_RULES = 10
_EXAMPLE_WIDTH = 32
_PREFIX = "Rule failed: "


@dataclass(frozen=True)
class Told:
    """What the command knows beside the result: the time of each phase, what to try next, and what to show."""

    phases: Mapping[str, float] = field(default_factory=dict)
    next_commands: tuple[tuple[str, str], ...] = ()
    rows: SafeRows | None = None
    all_rules: bool = False


def result_view(result: RunResult, told: Told, console: Console) -> RenderableType:
    """The whole result, from the verdict to the next command."""
    if result.status == "no_new_data":
        broken = any(level.status != "passed" for level in result.service_levels)
        levels = [section("Service levels", _service_levels(result, console))] if broken else []
        return Group(_nothing_new(result, console), *levels, *_exports(result, console), *next_view(told.next_commands))
    rows = rows_view(told.rows, console) if told.rows else []
    details = _details(result, told, console)
    return Group(*_head(result, told, console), *rows, *details, *next_view(told.next_commands))


def _nothing_new(result: RunResult, console: Console) -> RenderableType:
    name = (one_line(result.contract), "bold")
    sign = mark(console, "bad" if result.exit_code else "good")
    return Text.assemble(sign, " ", name, "  nothing new: ", one_line(result.reason))


def _head(result: RunResult, told: Told, console: Console) -> Iterator[RenderableType]:
    duration = sum(told.phases.values()) or (result.ended - result.started).total_seconds()
    sign = mark(console, "bad" if result.exit_code else "good")
    name = (one_line(result.contract), "bold")
    about = joined(
        [result.layer or "", result.engine, f"{counted(result.counts.source, 'row')} in {seconds(duration)}"]
    )
    yield Text.assemble(sign, " ", name, (f"  {about}", "dim"))
    yield indented(line(f"{result.mode}: {result.reason}", "dim"))
    if result.attempt > 1:
        yield indented(
            line(f"resumed: run {result.run_id} had not ended; attempt {result.attempt} completed it", "yellow")
        )
    for reason in result.blocking:
        yield indented(line(f"blocks what is downstream: {reason}", "red"))
    yield Text()
    yield indented(_counts(result))


def _counts(result: RunResult) -> Table:
    counts = result.counts
    score = "unknown" if result.quality_score is None else f"{result.quality_score:g}"
    columns = [("Source", number(counts.source), "")]
    if counts.expanded:
        columns.append(("Expanded", number(counts.expanded), ""))
    columns += [
        ("Good", number(counts.good), "green"),
        ("Quarantined", number(counts.quarantined), "red" if counts.quarantined else ""),
        ("Filtered", number(counts.filtered), ""),
        ("Deduplicated", number(counts.deduplicated), ""),
        ("Ratio", share(counts.ratio, 1), ""),
        ("Score", score, ""),
    ]
    table = headed(*((heading, "right") for heading, _, _ in columns))
    table.add_row(*(Text(value, style=f"bold {style}") for _, value, style in columns))
    return table


def _details(result: RunResult, told: Told, console: Console) -> Iterator[RenderableType]:
    if result.steps:
        yield section("Steps", _steps(result))
    if result.rules:
        failed = sum(rule.status != "passed" for rule in result.rules)
        every = len(result.rules)
        note = f"{failed} of {every} failed" if failed else f"all {every} passed" if every > 1 else "passed"
        yield section("Rules", *_rules(result, told, console), note=note)
    if result.dataset_rules:
        yield section("Dataset rules", _dataset_rules(result, console))
    if result.service_levels:
        yield section("Service levels", _service_levels(result, console))
    tables = [("good", result.target), ("quarantined", result.quarantine)]
    if written := [(role, table) for role, table in tables if table is not None]:
        yield section("Written", _written(written, console))
    yield from _exports(result, console)
    if told.phases:
        spent = [line(f"{what} {seconds(took)}") for what, took in told.phases.items()]
        yield section("Time", filled(spent, console.width - INDENT))
    if result.notes:
        yield section("Notes", *(line(note, "yellow") for note in result.notes))


def _exports(result: RunResult, console: Console) -> Iterator[RenderableType]:
    if result.exports:
        yield section("Exports", exports_view(result.exports, console))


def _steps(result: RunResult) -> Table:
    table = headed(("", "left"), ("In", "right"), ("Out", "right"))
    for step in result.steps:
        table.add_row(line(step.name), number(step.rows_in), number(step.rows_out))
    return table


def _rules(result: RunResult, told: Told, console: Console) -> Iterator[RenderableType]:
    """Failed rules, errors before warnings and those with most rows first; the others by name."""
    failed = [rule for rule in result.rules if rule.status != "passed"]
    failed.sort(key=lambda rule: (rule.severity != "error", -(rule.failed or 0)))
    passed = [rule.name for rule in result.rules if rule.status == "passed"]
    top = failed if told.all_rules else failed[:_TOP_RULES]
    if top:
        yield _failed_rules(top, result, console)
    if len(failed) > len(top):
        yield line(f"and {len(failed) - len(top)} more; -v shows them all", "dim")
    if passed:
        shown = passed if told.all_rules else passed[:_TOP_RULES]
        more = f" and {len(passed) - len(shown)} more" if len(shown) < len(passed) else ""
        table = grid("left", "wrap")
        table.add_row(mark(console, "good"), Text(one_line(", ".join(shown)) + more, style="dim"))
        yield table


def _failed_rules(rules: Iterable[RuleResult], result: RunResult, console: Console) -> Table:
    counts = result.counts
    judged = None if counts.good_at_split is None else counts.good_at_split + (counts.quarantined_at_split or 0)
    narrow = is_narrow(console)
    columns = [("", "left"), ("", "left"), ("Rows", "right"), ("Share", "right")]
    columns += [("Because", "wrap")] if narrow else [("Category", "left"), ("Because", "wrap"), ("Example", "left")]
    table = headed(*columns)
    for rule in rules:
        because, example = line(_because(rule)), line(_example(rule), "dim")
        below = Text.assemble(because, "\n", example) if example.plain else because
        table.add_row(
            mark(console, "bad" if rule.severity == "error" else "doubtful"),
            Text(shortened(one_line(rule.name), 24 if narrow else 32), style="bold"),
            number(rule.failed),
            share(rule.failed, judged),
            *([below] if narrow else [line(rule.category), because, example]),
        )
    return table


def _because(rule: RuleResult) -> str:
    """The message without what the table says already."""
    message = rule.message.removeprefix(_PREFIX)
    named = f"{rule.name} ("
    if message.startswith(named) and message.endswith(")"):
        message = message.removeprefix(named)[:-1]
    return f"{message} ({rule.severity})" if rule.severity != "error" else message


def _example(rule: RuleResult) -> str:
    """A sample row, as far as the rule reads it; what is private was hidden when the sample was taken."""
    values = (f"{name}={value if value == HIDDEN else cell(value)}" for name, value in (rule.sample or {}).items())
    return shortened(", ".join(values), _EXAMPLE_WIDTH)


def _dataset_rules(result: RunResult, console: Console) -> Table:
    table = grid("left", "left", "right", "wrap")
    for rule in sorted(result.dataset_rules, key=lambda rule: rule.status == "passed"):
        bad = "bad" if rule.severity == "error" else "doubtful"
        sign = mark(console, "good" if rule.status == "passed" else bad)
        because = "" if rule.status == "passed" else rule.message.removeprefix(_PREFIX)
        table.add_row(sign, line(rule.name, "bold"), measured(rule.value), line(because))
    return table


def _service_levels(result: RunResult, console: Console) -> Table:
    table = grid("left", "left", "wrap")
    kinds = {"passed": "good", "failed": "bad"}
    for level in sorted(result.service_levels, key=lambda level: level.status == "passed"):
        table.add_row(mark(console, kinds.get(level.status, "unknown")), line(level.name, "bold"), line(level.message))
    return table


def _written(tables: Sequence[tuple[str, Committed]], console: Console) -> Table:
    """Where rows went; what happened there stands beside it, or below where there is no room."""
    lines = [(role, one_line(table.location), _commit(table)) for role, table in tables]
    roles, places, commits = (max(map(len, column)) for column in zip(*lines, strict=True))
    room = console.width - INDENT - roles - 3 * GAP
    beside = places + commits <= room
    table = grid("left", "left", "left") if beside else grid("left", "wrap")
    for role, location, commit in lines:
        told = Text(commit, style="dim")
        if beside:
            table.add_row(role, place(location, room), told)
        else:
            table.add_row(role, Text.assemble(place(location, room), "\n", told))
    return table


def _commit(table: Committed) -> str:
    version = "" if table.version is None else f"version {table.version}"
    return joined([version, _changes(table)])


def _changes(table: Committed) -> str:
    """Rows as the commit tells them; a merge tells what it did with each."""
    told = [("inserted", table.inserted), ("updated", table.updated), ("deleted", table.deleted)]
    parts = [f"{number(count)} {word}" for word, count in told if count is not None and (count or word != "deleted")]
    return ", ".join(parts) if parts else counted(table.rows, "row")
