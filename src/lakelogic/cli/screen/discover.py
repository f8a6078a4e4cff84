"""What was found in a landing zone, as a person wants to see it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from rich.console import Console, Group, RenderableType
from rich.text import Text

from lakelogic.cli.screen.layout import grid, headed, line, mark, section
from lakelogic.discover.bootstrap import Outcome
from lakelogic.discover.keeping import Draft
from lakelogic.discover.profile import ColumnProfile, Profile
from lakelogic.wording import counted, number, share, size

_STATES = {"new": "written", "same": "as it was", "changed": "updated", "edited": "left: it was edited"}
_STYLES = {"+": "green", "-": "red", "@": "cyan"}


def outcome_view(outcome: Outcome, console: Console, *, whole: bool) -> RenderableType:
    """The entities, what could not be read, the columns if asked for, and what became of each file."""
    parts: list[RenderableType] = [section("Entities", _entities(outcome.profiles, console))]
    if outcome.unreadable:
        parts.append(section("Not readable", *(_unreadable(outcome, console))))
    if whole:
        parts += [profile_view(profile) for profile in outcome.profiles]
    parts.append(section("Files", _files(outcome.drafts)))
    parts += [section(f"Would change  {draft.path}", _diff(draft)) for draft in outcome.left]
    return Group(*parts)


def profile_view(profile: Profile) -> RenderableType:
    """The columns of an entity, with what was found in them."""
    table = headed(
        ("Column", "left"), ("Type", "left"), ("Null", "right"), ("Distinct", "right"), ("Why", "wrap"), ("Personal", "left")
    )  # fmt: skip
    for column in profile.columns:
        distinct = len(column.listed) if column.listed else column.facts.distinct
        table.add_row(
            line(column.name, "bold"),
            line(column.typed.type, "cyan"),
            share(column.nulls, column.rows),
            number(distinct) if column.listed or not distinct else f"~{number(min(distinct, column.rows))}",
            line(column.typed.reason, "dim"),
            line(column.personal.kind if column.personal else ""),
        )
    return section(profile.entity.name, table, note=_key(profile))


def _entities(profiles: Sequence[Profile], console: Console) -> RenderableType:
    headings = (("", "left"), ("Entity", "left"), ("Files", "right"), ("Size", "right"), ("Rows", "right"))
    table = headed(*headings, ("Columns", "right"), ("Key", "left"), ("Personal", "wrap"), ("Doubts", "wrap"))
    for profile in profiles:
        doubts = list(_doubts(profile))
        table.add_row(
            mark(console, "doubtful" if doubts else "good"),
            Text(profile.entity.name, style="bold"),
            number(profile.files),
            size(profile.entity.size),
            number(profile.rows),
            number(len(profile.columns)),
            line(", ".join(profile.key.columns) if profile.key else "none found"),
            line(", ".join(column.name for column in profile.columns if column.personal)),
            line("; ".join(doubts), "yellow"),
        )
    return table


def _doubts(profile: Profile) -> Iterator[str]:
    if profile.malformed:
        yield f"{counted(profile.malformed, 'malformed row')}"
    if not profile.rows:
        yield "no rows"
    if not profile.options.header and profile.entity.format == "csv":
        yield "no header"
    for column in profile.columns:
        if column.absent:
            yield f"{column.name} is missing in {column.absent:,} of {counted(profile.files, 'file')}"
        if column.strays:
            yield f"{column.name} is mixed: {counted(column.strays.values, 'odd value')}"


def _unreadable(outcome: Outcome, console: Console) -> Iterator[RenderableType]:
    for each in outcome.unreadable:
        yield Text.assemble(mark(console, "bad"), " ", (each.entity.name, "bold"), f"  {each.error}")


def _files(found: Sequence[Draft]) -> RenderableType:
    table = grid("left", "left")
    for draft in found:
        table.add_row(line(_short(draft.path), "cyan"), line(_STATES[draft.state], "dim"))
    return table


def _diff(draft: Draft) -> RenderableType:
    return Group(*(line(row, _STYLES.get(row[:1], "")) for row in draft.diff.splitlines()))


def _key(profile: Profile) -> str:
    return ". ".join(profile.key.reasons) if profile.key else "no key found"


def _short(path: Path) -> str:
    here = Path.cwd()
    return str(path.relative_to(here)) if path.is_absolute() and path.is_relative_to(here) else str(path)


def column_report(column: ColumnProfile) -> dict[str, object]:
    """A column for programs; values of personal columns are never listed."""
    return {
        "name": column.name,
        "type": column.typed.type,
        "reason": column.typed.reason,
        "format": column.typed.format,
        "values": column.facts.values,
        "nulls": column.nulls,
        "distinct_estimate": column.facts.distinct,
        "missing_in_files": column.absent,
        "personal": column.personal.kind if column.personal else None,
    }
