"""Rules that all, or nearly all, rows of today meet, each with how many do not."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from sqlglot.dialects.spark import Spark

from lakelogic.discover.names import plain
from lakelogic.discover.profile import FEW_ROWS, ColumnProfile, Profile
from lakelogic.sql.build import quoted

# Beyond this share of failing rows, a rule is not what the data means.
_RARE = 0.05
# Each choice must have come this often, or there may be many more to come.
_TIMES_EACH = 2
_SIGNED = re.compile(
    r"(^|_)(lat|latitude|lon|lng|longitude|delta|diff|change|balance|profit|margin|temp\w*|offset)(_|$)"
)
_SHARE = re.compile(r"(^|_)(ratio|share|probability)(_|$)")
_PERCENT = re.compile(r"(^|_)(pct|percent|percentage)(_|$)")


@dataclass(frozen=True)
class Suggestion:
    """A rule, as a key beside the column or as a row rule, and how many rows of today fail it.

    `values` are the arguments: of a row rule its own, of a key one under its own name.
    """

    kind: str
    values: Mapping[str, object]
    failing: int
    beside_column: bool = True

    @property
    def in_force(self) -> bool:
        """Only a rule that all rows meet is switched on: others are for somebody to decide."""
        return not self.failing


def suggestions(profile: Profile, column: ColumnProfile) -> Iterator[Suggestion]:
    """What may be asked of the values of a column."""
    key = profile.key is not None and column.name in profile.key.columns
    if column.nearly is not None and column.strays is not None:
        yield Suggestion("type", {"type": column.nearly.type}, column.strays.values)
    if key or (column.rows >= FEW_ROWS and column.nulls <= _RARE * column.rows and column.facts.values):
        yield Suggestion("required", {"required": True}, column.nulls)
    if column.personal is not None or key:
        yield from _matching(column)
        return
    yield from _choices(column)
    yield from _bounds(column)
    yield from _matching(column)


def _choices(column: ColumnProfile) -> Iterator[Suggestion]:
    listed = _usual_spellings(column.listed or {})
    often = {value: times for value, times in listed.items() if times >= max(_TIMES_EACH, 0.01 * column.facts.values)}
    missing = column.facts.values - sum(often.values())
    if column.typed.type == "boolean" or not often or len(listed) < 2 or missing > _RARE * column.rows:
        return
    values: list[object] = [*sorted(often)] if column.typed.type == "string" else [*sorted(map(int, often))]
    # A rule is not met by NULL, unless the list has it.
    yield Suggestion("accepted_values", {"accepted_values": [*values, *([None] if column.nulls else [])]}, missing)


def _usual_spellings(listed: Mapping[str, int]) -> dict[str, int]:
    """Of values that differ in case or blanks only, the one that came most often."""
    best: dict[str, str] = {}
    for value in sorted(listed, key=lambda each: -listed[each]):
        best.setdefault(value.strip().lower(), value)
    return {value: listed[value] for value in best.values()}


def _bounds(column: ColumnProfile) -> Iterator[Suggestion]:
    name, facts = plain(column.name), column.facts
    if facts.low is None or facts.high is None or column.typed.type == "string" or column.listed:
        return
    top = 1 if _SHARE.search(name) and facts.high <= 1 else 100 if _PERCENT.search(name) and facts.high <= 100 else None
    if _SIGNED.search(name) or facts.negative > _RARE * column.rows or facts.values < FEW_ROWS:
        return
    bounds = {"min": 0} if top is None else {"min": 0, "max": top}
    if not column.nulls:
        yield Suggestion("range", bounds, facts.negative)
        return
    this = named(column.name)
    within = f"{this} >= 0" if top is None else f"{this} BETWEEN 0 AND {top}"
    sql = f"{this} IS NULL OR {within}"
    yield Suggestion("sql", {"name": f"{column.name}_in_bounds", "sql": sql}, facts.negative, beside_column=False)


def _matching(column: ColumnProfile) -> Iterator[Suggestion]:
    if column.pattern is None or column.unmatched > _RARE * column.rows:
        return
    if not column.nulls:
        arguments = {"field": column.name, "pattern": column.pattern}
        yield Suggestion("regex_match", arguments, column.unmatched, beside_column=False)
        return
    this = named(column.name)
    sql = f"{this} IS NULL OR {this} RLIKE '{column.pattern}'"
    yield Suggestion("sql", {"name": f"{column.name}_form", "sql": sql}, column.unmatched, beside_column=False)


def named(column: str) -> str:
    """A column's name as SQL writes it."""
    is_bare = re.fullmatch(r"[A-Za-z_]\w*", column) and column.upper() not in Spark.Tokenizer.KEYWORDS
    return column if is_bare else quoted(column)
