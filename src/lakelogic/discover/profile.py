"""What is found out about an entity by looking at all its rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from lakelogic.discover import forms as f
from lakelogic.discover.dialects import dialect_of
from lakelogic.discover.keys import Key, guess_key, key_questions
from lakelogic.discover.landing import Entity
from lakelogic.discover.patterns import common_pattern
from lakelogic.discover.personal import Personal, guess_personal
from lakelogic.engines.opening import open_profiler
from lakelogic.engines.profiling import Answers, Facts, Form, Look, Profiler, Questions, Strays
from lakelogic.errors import SourceError
from lakelogic.formats.base import Layout, ReadOptions, union_of
from lakelogic.plan.locations import Location
from lakelogic.plan.names import MALFORMED
from lakelogic.sources.discover import SourceSpec, source_columns, to_read
from lakelogic.sources.files import Listing, list_files
from lakelogic.sources.read import FilesToRead
from lakelogic.sql.types import STRING, Column, Columns, type_name

_SAMPLE = 4_000
# A column with more different values than this is no list of choices.
_CHOICES = 20
# Fewer rows than this say little about those to come.
FEW_ROWS = 20


@dataclass(frozen=True)
class Asked:
    """What is wanted of a look: at most so many rows, and guesses of personal data and rules."""

    limit: int | None = None
    personal: bool = True
    rules: bool = True


@dataclass(frozen=True)
class ColumnProfile:
    """A column: its type and why, what its values are like, and in how many files it is missing."""

    name: str
    typed: f.Typed
    facts: Facts
    rows: int
    absent: int = 0
    personal: Personal | None = None
    listed: Mapping[str, int] | None = None
    pattern: str | None = None
    unmatched: int = 0
    nearly: f.Typed | None = None
    strays: Strays | None = None

    @property
    def nulls(self) -> int:
        return self.rows - self.facts.values

    @property
    def always_there(self) -> bool:
        return self.rows > 0 and not self.nulls


@dataclass(frozen=True)
class Profile:
    """An entity, how its files are written, and what its rows are like."""

    entity: Entity
    options: ReadOptions
    rows: int
    malformed: int
    columns: tuple[ColumnProfile, ...]
    files: int
    key: Key | None = None
    limited: bool = False
    partitions: tuple[str, ...] = field(default=())

    def column(self, name: str) -> ColumnProfile:
        return next(column for column in self.columns if column.name == name)


def profile_of(entity: Entity, asked: Asked) -> Profile:
    """Look at all rows of an entity.

    Raises:
        SourceError: its files are empty, not readable, or not written in one way.
    """
    options = _options(entity)
    listing = list_files(entity.path, entity.pattern, entity.fixed)
    looking = open_profiler(_wanted(entity, options, listing), asked.limit)
    sample = _texts(looking.sample(min(asked.limit or _SAMPLE, _SAMPLE)))
    columns = source_columns(looking.wanted)
    if not columns.names:
        raise SourceError(f"the files of '{entity.name}' have no columns.", cure="Check --format and --pattern.")
    possible = {column.name: _possible(looking, column, sample) for column in columns}
    look = looking.look(possible)
    found = [_column(looking, column, look, possible, sample, asked, entity.name) for column in columns]
    questions = _questions(entity, found, look.rows, asked)
    answers = looking.look_closer(questions) if questions else Answers()
    answered = tuple(_answered(column, answers) for column in found)
    return Profile(
        entity,
        options,
        look.rows,
        look.malformed,
        answered,
        files=sum(len(layout.files) for layout in looking.wanted.layouts),
        key=guess_key(entity, answered, answers),
        limited=asked.limit is not None and look.rows >= asked.limit,
        partitions=looking.wanted.partitions,
    )


def _options(entity: Entity) -> ReadOptions:
    filled = [file.path for file in entity.files if file.size]
    found = (dialect_of(filled) if entity.format == "csv" else ReadOptions()) if filled else None
    if found is None:
        raise SourceError(f"every file of '{entity.name}' is empty.", cure="Bootstrap again once there is data.")
    return found


def _wanted(entity: Entity, options: ReadOptions, listing: Listing) -> FilesToRead:
    spec = SourceSpec(Location(entity.path), entity.format, options, entity.pattern, entity.fixed)
    wanted = to_read(None, spec, listing, listing.files)
    if options.header or entity.format != "csv":
        return wanted
    layouts = tuple(_numbered(layout) for layout in wanted.layouts)
    return replace(wanted, columns=union_of(layouts), layouts=layouts)


def _numbered(layout: Layout) -> Layout:
    """Names for columns without a header, as the contract will give them."""
    names = (f"column_{number}" for number, _ in enumerate(layout.columns, 1))
    return replace(layout, columns=Columns(tuple(Column(name, STRING) for name in names)))


def _texts(rows: Sequence[Mapping[str, object]]) -> dict[str, list[str]]:
    """The values of each column that are there, as texts."""
    found: dict[str, list[str]] = {}
    for row in rows:
        if row.get(MALFORMED.name) is None:
            for name, value in row.items():
                if isinstance(value, (str, int, float)):
                    found.setdefault(name, []).append(str(value))
    return found


def _possible(looking: Profiler, column: Column, sample: Mapping[str, Sequence[str]]) -> tuple[Form, ...]:
    told = looking.told.find(column.name)
    if looking.wanted.format not in ("csv", "json") and told is not None and type_name(told.type) != "string":
        return ()
    # A text in json or parquet could have been a number, and is none.
    only_times = told is not None and type_name(told.type) == "string"
    if type_name(column.type) != "string" or (only_times and looking.wanted.format != "json"):
        return ()
    return f.possible_forms(column.name, sample.get(column.name, ()), only_times=only_times)


def _column(
    looking: Profiler,
    column: Column,
    look: Look,
    possible: Mapping[str, Sequence[Form]],
    sample: Mapping[str, Sequence[str]],
    asked: Asked,
    entity: str,
) -> ColumnProfile:
    facts, ways = look.facts[column.name], possible[column.name]
    is_text = type_name(column.type) == "string"
    typed = f.type_of(column.name, facts, ways) if is_text else f.Typed(type_name(column.type), "as the files say")
    if len(kinds := _kinds(looking, column)) > 1:
        typed = f.Typed("string", f"{' and '.join(kinds)} in different files, so text")
    nearly = f.nearly(column.name, facts, ways) if typed.type == "string" else None
    # Plain digits have no form but their length, which grows.
    is_plain = typed.type == "string" and typed.form is None and nearly is None
    lacking = sum(len(layout.files) for layout in looking.wanted.layouts if column.name not in layout.columns)
    seen = sample.get(column.name, ())
    personal = guess_personal(column.name, seen, entity, is_text=is_text) if asked.personal else None
    return ColumnProfile(
        column.name,
        typed,
        facts,
        look.rows,
        absent=0 if column.name in looking.wanted.partitions else lacking,
        personal=personal,
        pattern=_pattern(seen, personal) if asked.rules and is_plain else None,
        nearly=nearly,
    )


def _kinds(looking: Profiler, column: Column) -> list[str]:
    """The types that a column has in different files."""
    own = (layout.columns.find(column.name) for layout in looking.wanted.layouts)
    return sorted({type_name(each.type) for each in own if each is not None})


def _pattern(values: Sequence[str], personal: Personal | None) -> str | None:
    return personal.pattern if personal else common_pattern(values)


def _questions(entity: Entity, columns: Sequence[ColumnProfile], rows: int, asked: Asked) -> Questions:
    if not rows:
        return Questions()
    keys = key_questions(entity, columns)
    choices = tuple(
        column.name
        for column in columns
        if asked.rules and not column.personal and column.typed.type in ("string", "int", "boolean")
        and 0 < column.facts.distinct <= _CHOICES and column.facts.values >= FEW_ROWS
    )  # fmt: skip
    matching = {
        column.name: column.pattern
        for column in columns
        if column.pattern and column.name not in choices and column.facts.values >= FEW_ROWS
    }
    strays = {column.name: column.nearly.ways for column in columns if column.nearly is not None}
    return replace(keys, listed=choices, matching=matching, strays=strays)


def _answered(column: ColumnProfile, answers: Answers) -> ColumnProfile:
    matched = column.name in answers.unmatched
    return replace(
        column,
        listed=answers.listed.get(column.name),
        pattern=column.pattern if matched else None,
        unmatched=answers.unmatched.get(column.name, 0),
        strays=answers.strays.get(column.name),
    )
