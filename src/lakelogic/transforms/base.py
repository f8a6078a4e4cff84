"""What a transformation is: a model of its YAML, and a pure function to a SELECT."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

from pydantic import Field
from sqlglot import exp

from lakelogic.models import Model
from lakelogic.registry import Registry
from lakelogic.sql.types import Column, Columns

Phase = Literal["pre", "post"]
Effect = Literal["filtered", "deduplicated", "expanded"]

transforms: Registry[type[Transform]] = Registry("transform", "lakelogic.transforms")

SOURCE = "source"


@dataclass(frozen=True)
class Step:
    """A SELECT over `source` (the step before) and links, with the columns it yields.

    `row_wise` steps give one row for each row, from that row alone, so rules may be judged beside them.
    """

    select: exp.Query
    columns: Columns
    row_wise: bool = True
    effect: Effect | None = None


@dataclass(frozen=True)
class TransformExample:
    """Rows before and after; `types` are Spark types of the input columns, `links` rows of reference tables."""

    arguments: Any
    before: tuple[Mapping[str, Any], ...]
    after: tuple[Mapping[str, Any], ...]
    types: Mapping[str, str]
    links: Mapping[str, tuple[Mapping[str, Any], ...]] | None = None
    link_types: Mapping[str, Mapping[str, str]] | None = None


class Transform(Model):
    """A step that reshapes rows."""

    phase: Phase = Field("post", description="pre: before the rules; post: on good rows.")

    kind: ClassVar[str]
    examples: ClassVar[tuple[TransformExample, ...]] = ()

    @classmethod
    def from_yaml(cls, body: Any) -> Any:
        """The short forms of the YAML body as the mapping that the model reads."""
        return body

    @abstractmethod
    def step(self, columns: Columns, links: Mapping[str, Columns]) -> Step:
        """The SELECT, given the columns that come in.

        Raises:
            SqlError: it names a column or link that is not there.
        """

    def links_used(self) -> set[str]:
        """The links that the step reads."""
        return set()


def ref(column: Column | str) -> exp.Column:
    """A quoted reference to a column."""
    return exp.column(exp.to_identifier(column if isinstance(column, str) else column.name, quoted=True))


def named(name: str, expression: exp.Expression) -> exp.Expression:
    """`expression AS name`, quoted."""
    if isinstance(expression, exp.Column) and expression.name == name:
        return expression
    return exp.alias_(expression, exp.to_identifier(name, quoted=True))


def project(columns: Columns, changes: Mapping[str, exp.Expression], types: Mapping[str, exp.DataType] | None = None) -> Step:
    """A SELECT of all columns with some replaced in place and the others added at the end."""
    types = types or {}
    by_lower = {name.lower(): name for name in changes}
    out: list[exp.Expression] = []
    for column in columns:
        changed = by_lower.pop(column.name.lower(), None)
        out.append(named(column.name, changes[changed]) if changed else ref(column))
    out.extend(named(name, changes[name]) for name in by_lower.values())
    # A changed column keeps its old spelling, as Spark's own case-insensitive replacement does.
    added = [
        Column(
            found.name if (found := columns.find(name)) else name,
            types.get(name, exp.DataType.build("unknown")),
        )
        for name in changes
    ]
    return Step(exp.select(*out).from_(exp.to_identifier(SOURCE)), columns.with_(*added))
