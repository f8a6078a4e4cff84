"""Looking at all rows of files before there is a contract: what is asked, and what is found."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from lakelogic.sources.read import FilesToRead
from lakelogic.sql.types import Columns


@dataclass(frozen=True)
class Form:
    """A way to write values: the pattern of a whole value, and what else it must be readable as.

    `cast` is a type, `layout` a date's form in the codes of strptime. One that is `apart` may fit values that fit
    another form too, so it is counted by itself.
    """

    name: str
    pattern: str
    cast: str | None = None
    layout: str | None = None
    number: bool = False
    apart: bool = False


@dataclass(frozen=True)
class Facts:
    """What all values of a column have in common; `distinct` is an estimate."""

    values: int
    distinct: int
    written: Mapping[str, int] = field(default_factory=dict)
    low: float | None = None
    high: float | None = None
    negative: int = 0
    scale: int = 0


@dataclass(frozen=True)
class Look:
    """Rows that could be read, rows that could not, and the facts of every column."""

    rows: int
    malformed: int
    facts: Mapping[str, Facts]


@dataclass(frozen=True)
class Questions:
    """What a second look is for. `unique` are columns taken together, `within` those to be unique in each file.

    `listed` are columns whose values are few, `matching` patterns to be met, `strays` forms that not all values have one of.
    """

    unique: tuple[tuple[str, ...], ...] = ()
    within: tuple[str, ...] = ()
    listed: tuple[str, ...] = ()
    matching: Mapping[str, str] = field(default_factory=dict)
    strays: Mapping[str, Sequence[Form]] = field(default_factory=dict)

    def __bool__(self) -> bool:
        return bool(self.unique or self.within or self.listed or self.matching or self.strays)


@dataclass(frozen=True)
class Strays:
    """Values that are written in another way than most: how many, in how many files, and the first of these."""

    values: int
    files: int
    first: str | None


@dataclass(frozen=True)
class Answers:
    """What the second look found: distinct keys, values with their counts, values that miss a pattern."""

    unique: Mapping[tuple[str, ...], int] = field(default_factory=dict)
    within: Mapping[str, int] = field(default_factory=dict)
    listed: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    unmatched: Mapping[str, int] = field(default_factory=dict)
    strays: Mapping[str, Strays] = field(default_factory=dict)


class Profiler(Protocol):
    """Looks at the rows of some files, each time in one pass."""

    @property
    def wanted(self) -> FilesToRead: ...

    @property
    def told(self) -> Columns:
        """The columns whose types the files themselves tell."""

    def sample(self, rows: int) -> Sequence[Mapping[str, object]]:
        """Rows from the beginnings of files all over the source."""

    def look(self, forms: Mapping[str, Sequence[Form]]) -> Look:
        """The facts of all columns; `forms` are those that values of a column may have."""

    def look_closer(self, questions: Questions) -> Answers:
        """What only a second pass can tell."""
