"""A plan as a person wants to see it: what is read and why, steps, rules, passes, SQL, writes."""

from __future__ import annotations

from collections.abc import Iterator

from rich.console import Console, Group, RenderableType
from rich.syntax import Syntax
from rich.table import Table
from rich.text import Text

from lakelogic.cli.screen.consoles import is_narrow
from lakelogic.cli.screen.layout import GAP, INDENT, filled, grid, headed, indented, joined, line, place, section
from lakelogic.cli.screen.next import after_plan, next_view
from lakelogic.engines.opening import engines
from lakelogic.plan.explain import Explained, explained
from lakelogic.plan.model import CheckPlan, Plan
from lakelogic.run.preview import Preview
from lakelogic.sql.layout import laid_out
from lakelogic.wording import counted, one_line, shortened, size

_SHOWN_FILES = 3
_SQL_WIDTH = 100
_WHEN = {"pre": "before the split", "post": "after the split"}


def preview_view(preview: Preview, contract: str, console: Console) -> RenderableType:
    """The whole plan, in the order in which it happens."""
    told = explained(preview.plan)
    parts: list[RenderableType] = [_head(preview), *_read(preview, console), *_links(preview.plan, console)]
    # The longest part stands before what people look for, which is then still on the screen.
    parts += [*_steps(preview.plan), section("SQL", sql_text(preview.plan, console))]
    parts += [*_rules(preview.plan, console), *_dataset_rules(preview.plan), *_policies(preview.plan)]
    parts += [_passes(told), *_stored(preview.plan)]
    parts += [_writes(told, console), *_doubts(preview), *next_view(after_plan(contract))]
    return Group(*parts)


def brief_view(preview: Preview, contract: str, console: Console) -> RenderableType:
    """What a run would read, do and write, on a few lines."""
    plan = preview.plan
    told = explained(plan)
    steps = len(plan.pre.steps) + len(plan.post.steps)
    does = [
        counted(steps, "step"),
        counted(len(plan.checks), "rule"),
        counted(len(plan.audits), "dataset rule"),
        f"{len(told.passes)} passes over the data" if len(told.passes) > 1 else "1 pass over the data",
    ]
    return Group(
        _head(preview),
        *_read(preview, console),
        section("Would do", line(joined(does))),
        _writes(told, console, brief=True),
        *_doubts(preview),
        Text(),
        line("Nothing was written.", "bold"),
        *next_view(after_plan(contract)),
    )


def sql_text(plan: Plan, console: Console) -> RenderableType:
    """Every statement with a comment that says what it is for; colours on a terminal."""
    width, dialect = min(console.width - INDENT, _SQL_WIDTH), engines.get(plan.engine).dialect
    parts = [f"-- {one_line(each.title)}\n{laid_out(each.sql, width, dialect)}" for each in explained(plan).statements]
    text = "\n\n".join(parts)
    if not console.is_terminal:
        return Text(text)
    # Of the lexers there are, this one knows names in backticks and quotes behind a backslash, as Spark does.
    return Syntax(text, "mysql", theme="ansi_dark", background_color="default", word_wrap=True)


def _head(preview: Preview) -> RenderableType:
    plan = preview.plan
    about = joined([plan.layer or "", plan.engine, f"plan {plan.fingerprint}"])
    return Text.assemble((one_line(plan.contract), "bold"), (f"  {about}", "dim"))


def _read(preview: Preview, console: Console) -> Iterator[RenderableType]:
    read, pinned = preview.plan.read, preview.input
    where = place(read.location, max(console.width - INDENT, 24))
    lines: list[RenderableType] = [where, line(f"{read.mode}: {read.reason}")]
    if pinned.kind == "files":
        octets = sum(file.size for file in pinned.files)
        lines.append(line(joined([read.format, counted(len(pinned.files), "file"), size(octets)])))
        lines += [place(f"  {file.path}", console.width - INDENT) for file in pinned.files[:_SHOWN_FILES]]
        if len(pinned.files) > _SHOWN_FILES:
            lines.append(line(f"  and {len(pinned.files) - _SHOWN_FILES:,} more", "dim"))
    elif pinned.version is not None:
        lines.append(line(f"{read.format}, version {pinned.version}"))
    if preview.nothing_new:
        lines.append(line("a run would find nothing new; this is the plan for all files that are there", "yellow"))
    if preview.committed_by:
        told = f"a run would write nothing: run {preview.committed_by} has committed this input under this plan"
        lines.append(line(told, "yellow"))
    if preview.resumes:
        lines.append(line(f"run {preview.resumes} did not end, and would be completed first", "yellow"))
    yield section("Read", *lines)
    if read.columns:
        yield section("Columns", _columns(read.columns, console), note=str(len(read.columns)))


def _columns(columns: tuple[tuple[str, str], ...], console: Console) -> Text:
    """Names with their types, as many on a line as it holds."""
    parts = [Text.assemble((one_line(name), "bold"), (f" {one_line(kind)}", "dim")) for name, kind in columns]
    return filled(parts, console.width - INDENT, ", ")


def _pairs(pairs: tuple[tuple[str, str], ...]) -> Table:
    table = grid("left", "wrap")
    for name, value in pairs:
        table.add_row(line(name, "bold"), line(value))
    return table


def _links(plan: Plan, console: Console) -> Iterator[RenderableType]:
    if plan.links:
        table = grid("left", "left", "left", "left")
        for link in plan.links:
            broadcast = "broadcast" if link.broadcast else ""
            where = place(link.location, max(console.width - 40, 24))
            table.add_row(line(link.name, "bold"), where, link.format, broadcast)
        yield section("Links", table)


def _steps(plan: Plan) -> Iterator[RenderableType]:
    table = grid("right", "left", "left", "wrap")
    staged = [(step, _WHEN["pre"]) for step in plan.pre.steps] + [(step, _WHEN["post"]) for step in plan.post.steps]
    for position, (step, when) in enumerate(staged, 1):
        told = joined([step.effect or "", f"reads {', '.join(step.links)}" if step.links else ""])
        table.add_row(str(position), line(step.name, "bold"), line(when, "dim"), line(told))
    if staged:
        yield section("Steps", table)


def _rules(plan: Plan, console: Console) -> Iterator[RenderableType]:
    if plan.checks:
        narrow = is_narrow(console)
        category = [] if narrow else [("Category", "left")]
        table = headed(("", "left"), *category, ("When", "left"), ("A row is good if", "wrap"))
        for check in plan.checks:
            name = Text(shortened(one_line(check.name), 28 if narrow else 40), style="bold")
            table.add_row(name, *([] if narrow else [line(check.category)]), _when(check), _sql(check.sql))
        yield section("Rules", table, note=str(len(plan.checks)))


def _when(check: CheckPlan) -> Text:
    return line(check.stage if check.severity == "error" else f"{check.stage}, {check.severity}", "dim")


def _sql(sql: str) -> Text:
    return line(sql, "cyan")


def _dataset_rules(plan: Plan) -> Iterator[RenderableType]:
    if plan.audits:
        table = headed(("", "left"), ("Severity", "left"), ("Measure", "wrap"), ("Allowed", "left"))
        for audit in plan.audits:
            low = "" if audit.low is None else f"{'>' if audit.low_open else '>='} {audit.low:g}"
            high = "" if audit.high is None else f"{'<' if audit.high_open else '<='} {audit.high:g}"
            table.add_row(line(audit.name, "bold"), audit.severity, _sql(audit.sql), joined([low, high], ", "))
        note = "a failed one stops the write" if plan.audits_block_write else "a failed one blocks what is downstream"
        yield section("Dataset rules", table, note=note)


def _policies(plan: Plan) -> Iterator[RenderableType]:
    if plan.policies:
        table = grid("left", "left", "wrap")
        for each in plan.policies:
            told = line(f"left out: {each.left_out}", "yellow") if each.left_out else line(each.place, "dim")
            table.add_row(line(each.pack, "bold"), line(each.what), told)
        yield section("From policy packs", table)


def _passes(told: Explained) -> RenderableType:
    table = grid("right", "left", "left", "wrap")
    for position, each in enumerate(told.passes, 1):
        table.add_row(
            str(position), line(each.purpose, "bold"), line(f"from the {each.over}", "dim"), line(each.because)
        )
    return section("Passes over the data", table, note=str(len(told.passes)))


def _stored(plan: Plan) -> Iterator[RenderableType]:
    if plan.masks:
        yield section("Masked", _pairs(plan.masks))
    if plan.lineage:
        yield section("Lineage columns", line(", ".join(plan.lineage)))


def _writes(told: Explained, console: Console, *, brief: bool = False) -> RenderableType:
    table = grid("left", "wrap")
    roles = max(len(write.role) for write in told.writes)
    for write in told.writes:
        how = write.how if brief else joined([write.how, f"transactions of {write.writer}"])
        where = place(write.table.location, max(console.width - INDENT - roles - 2 * GAP, 24))
        table.add_row(write.role, Text.assemble(where, "\n", line(how, "dim")))
    return section("Writes", table)


def _doubts(preview: Preview) -> Iterator[RenderableType]:
    if preview.alters:
        yield section("Changes of the table", *(line(each, "yellow") for each in preview.alters))
    if preview.weaker_promises:
        yield section("Weaker promises", *(line(each, "yellow") for each in preview.weaker_promises))
    if preview.plan.notes:
        yield section("Notes", *(indented(line(note, "yellow"), 0) for note in preview.plan.notes))
