"""Transformations of the columns themselves: which there are, what they are called, their types."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, ClassVar, Self

from pydantic import Field, model_validator
from sqlglot import exp

from lakelogic.errors import ContractError
from lakelogic.rules.base import Check
from lakelogic.rules.declared import kept_by_cast, type_check
from lakelogic.sql.convert import convert
from lakelogic.sql.types import BOOLEAN, Column, Columns, parse_type
from lakelogic.transforms.base import (
    SOURCE,
    Names,
    Step,
    Transform,
    TransformExample,
    TypeName,
    named,
    pick,
    project,
    ref,
    refuse_hidden,
    transform,
)


@transform("select")
class Select(Transform):
    """Keeps these columns, in this order."""

    columns: Names = Field(description="The columns to keep.", min_length=1)

    examples: ClassVar[tuple[TransformExample, ...]] = (
        TransformExample(
            ["b", "a"], before=({"a": 1, "b": 2, "c": 3},), after=({"b": 2, "a": 1},), types=dict.fromkeys("abc", "int")
        ),
        TransformExample(
            {"columns": "a"}, before=({"a": None, "b": 2},), after=({"a": None},), types={"a": "int", "b": "int"}
        ),
    )

    @classmethod
    def from_yaml(cls, body: Any) -> Any:
        return {"columns": body} if isinstance(body, (str, list)) else body

    def step(self, columns: Columns, links: Mapping[str, Columns]) -> Step:
        kept = [columns.visible.get(name) for name in self.columns]
        if len({column.name for column in kept}) < len(kept):
            raise ContractError(f"select names a column twice: {', '.join(self.columns)}.", cure="Name each one once.")
        chosen = Columns((*kept, *columns.hidden))
        return Step(pick(chosen), chosen)


@transform("drop")
class Drop(Transform):
    """Removes these columns."""

    columns: Names = Field(description="The columns to remove.", min_length=1)

    examples: ClassVar[tuple[TransformExample, ...]] = (
        TransformExample(["b"], before=({"a": 1, "b": 2},), after=({"a": 1},), types={"a": "int", "b": "int"}),
        TransformExample("B", before=({"a": None, "b": 2},), after=({"a": None},), types={"a": "int", "b": "int"}),
    )

    @classmethod
    def from_yaml(cls, body: Any) -> Any:
        return {"columns": body} if isinstance(body, (str, list)) else body

    def step(self, columns: Columns, links: Mapping[str, Columns]) -> Step:
        left = columns.without([columns.visible.get(name).name for name in self.columns])
        if not left.visible.items:
            raise ContractError("drop would leave no column.", cure="Keep at least one.")
        return Step(pick(left), left)


@transform("rename")
class Rename(Transform):
    """Gives columns other names, in place."""

    from_: str | None = Field(None, alias="from", description="The column's name.")
    to: str | None = Field(None, description="Its new name.")
    mappings: Mapping[str, str] = Field(default={}, description="Several columns at once, old name: new name.")

    examples: ClassVar[tuple[TransformExample, ...]] = (
        TransformExample(
            {"from": "a", "to": "A b"},
            before=({"a": 1, "c": 2},),
            after=({"A b": 1, "c": 2},),
            types={"a": "int", "c": "int"},
        ),
        TransformExample(
            {"mappings": {"a": "b", "b": "a"}},
            before=({"a": 1, "b": None},),
            after=({"b": 1, "a": None},),
            types={"a": "int", "b": "int"},
        ),
    )

    @model_validator(mode="after")
    def _names_columns(self) -> Self:
        if (self.from_ is None) != (self.to is None) or (self.from_ is None) == (not self.mappings):
            raise ValueError("rename needs either from and to, or mappings")
        return self

    def step(self, columns: Columns, links: Mapping[str, Columns]) -> Step:
        wanted = dict(self.mappings) or {self.from_ or "": self.to or ""}
        renames = {columns.visible.get(old).name: new for old, new in wanted.items()}
        for new in renames.values():
            refuse_hidden(columns, new)
        renamed = columns.rename(renames)
        lowered = [name.lower() for name in renamed.names]
        for new in renames.values():
            if lowered.count(new.lower()) > 1:
                raise ContractError(f"rename would yield column '{new}' twice.", cure="Rename or drop the other one.")
        out = (named(renames.get(column.name, column.name), ref(column)) for column in columns)
        return Step(exp.select(*out).from_(SOURCE), renamed)


@transform("cast")
class Cast(Transform):
    """Changes the types of columns; a row with a value that can't be converted is quarantined."""

    columns: Mapping[str, TypeName] = Field(description="Column: type.", min_length=1)

    examples: ClassVar[tuple[TransformExample, ...]] = (
        TransformExample(
            {"columns": {"n": "int"}},
            before=({"n": "1"}, {"n": " 2 "}, {"n": "x"}, {"n": ""}, {"n": None}),
            after=({"n": 1}, {"n": 2}, {"n": None}, {"n": None}, {"n": None}),
            types={"n": "string"},
        ),
        TransformExample(
            {"columns": {"tags": "string", "n": "string"}},
            before=({"tags": ["a", "b"], "n": 1}, {"tags": None, "n": None}),
            after=({"tags": '["a","b"]', "n": "1"}, {"tags": None, "n": None}),
            types={"tags": "array<string>", "n": "int"},
        ),
        TransformExample(
            {"columns": {"tags": "array<int>"}},
            before=({"tags": "[1,2]"}, {"tags": "oops"}),
            after=({"tags": [1, 2]}, {"tags": None}),
            types={"tags": "string"},
        ),
        TransformExample({"columns": {"n": "date"}}, before=({"n": 1},), after=({"n": None},), types={"n": "int"}),
    )

    def step(self, columns: Columns, links: Mapping[str, Columns]) -> Step:
        changed: list[Column] = []
        values: dict[str, exp.Expr] = {}
        for column, target in self._targets(columns):
            converted = convert(ref(column), column.type, target)
            flag = Column(_flag(columns, column.name, last=False), BOOLEAN, hidden=True)
            values |= {column.name: converted, flag.name: kept_by_cast(ref(column), converted)}
            changed += [Column(column.name, target), flag]
        return Step(project(columns, values).select, columns.with_(*changed))

    def checks(self, columns: Columns) -> tuple[Check, ...]:
        return tuple(
            replace(
                type_check(column.name, ref(column), ref(column), target),
                predicate=ref(_flag(columns, column.name, last=True)),
            )
            for column, target in self._targets(columns)
        )

    def _targets(self, columns: Columns) -> list[tuple[Column, exp.DataType]]:
        return [(columns.visible.get(name), parse_type(text)) for name, text in self.columns.items()]


def _flag(columns: Columns, name: str, *, last: bool) -> str:
    """The hidden column that tells which values were kept by a cast: the last one there is, or the next."""
    number = 1
    while f"_ll_cast_{number}_{name}" in columns:
        number += 1
    return f"_ll_cast_{number - 1 if last else number}_{name}"
