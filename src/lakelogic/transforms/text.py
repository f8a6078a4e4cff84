"""Transformations of text."""

from __future__ import annotations

import re
from abc import abstractmethod
from collections.abc import Mapping
from typing import Any, ClassVar, Literal

from pydantic import Field
from sqlglot import exp

from lakelogic.errors import ContractError
from lakelogic.sql.build import call, is_text
from lakelogic.sql.types import STRING, Column, Columns, is_unknown, type_name
from lakelogic.transforms.base import Names, Step, Transform, TransformExample, project, ref, transform

_POSITIONS = {"both": None, "left": "LEADING", "right": "TRAILING"}


class _TextTransform(Transform):
    """The same change to several text columns."""

    fields: Names = Field(description="The text columns.", min_length=1)

    @classmethod
    def from_yaml(cls, body: Any) -> Any:
        return {"fields": body} if isinstance(body, (str, list)) else body

    @abstractmethod
    def changed(self, text: exp.Expr) -> exp.Expr:
        """What becomes of the text."""

    def step(self, columns: Columns, links: Mapping[str, Columns]) -> Step:
        found = [text_column(columns, name, self.kind) for name in self.fields]
        values = {column.name: self.changed(ref(column)) for column in found}
        return project(columns, values, {column.name: STRING for column in found})


@transform("trim")
class Trim(_TextTransform):
    """Removes spaces from the ends of text."""

    side: Literal["both", "left", "right"] = Field("both", description="Which end.")

    examples: ClassVar[tuple[TransformExample, ...]] = (
        TransformExample(
            ["a"],
            before=({"a": "  x y "}, {"a": "   "}, {"a": None}),
            after=({"a": "x y"}, {"a": ""}, {"a": None}),
            types={"a": "string"},
        ),
        TransformExample(
            {"fields": ["a"], "side": "left"}, before=({"a": " x "},), after=({"a": "x "},), types={"a": "string"}
        ),
        TransformExample(
            {"fields": "a", "side": "right"}, before=({"a": " x "},), after=({"a": " x"},), types={"a": "string"}
        ),
    )

    def changed(self, text: exp.Expr) -> exp.Expr:
        return exp.Trim(this=text, position=_POSITIONS[self.side])


@transform("lower")
class Lower(_TextTransform):
    """Text in lower case."""

    examples: ClassVar[tuple[TransformExample, ...]] = (
        TransformExample(
            "a",
            before=({"a": "ÄbC"}, {"a": ""}, {"a": None}),
            after=({"a": "äbc"}, {"a": ""}, {"a": None}),
            types={"a": "string"},
        ),
    )

    def changed(self, text: exp.Expr) -> exp.Expr:
        return exp.Lower(this=text)


@transform("upper")
class Upper(_TextTransform):
    """Text in upper case."""

    examples: ClassVar[tuple[TransformExample, ...]] = (
        TransformExample(
            ["a", "b"],
            before=({"a": "äbC", "b": ""}, {"a": None, "b": "x"}),
            after=({"a": "ÄBC", "b": ""}, {"a": None, "b": "X"}),
            types={"a": "string", "b": "string"},
        ),
    )

    def changed(self, text: exp.Expr) -> exp.Expr:
        return exp.Upper(this=text)


@transform("split")
class Split(Transform):
    """Text cut at a delimiter, as the JSON text of its parts."""

    field: str = Field(description="The text column.")
    delimiter: str = Field(",", description="Where to cut, taken literally.", min_length=1)
    output: str | None = Field(None, description="The column for the parts; the same one when absent.")

    examples: ClassVar[tuple[TransformExample, ...]] = (
        TransformExample(
            {"field": "a"},
            before=({"a": "x,y"}, {"a": "x"}, {"a": ""}, {"a": None}),
            after=({"a": '["x","y"]'}, {"a": '["x"]'}, {"a": '[""]'}, {"a": None}),
            types={"a": "string"},
        ),
        TransformExample(
            {"field": "a", "delimiter": "|", "output": "parts"},
            before=({"a": 'x|"y"|'},),
            after=({"a": 'x|"y"|', "parts": '["x","\\"y\\"",""]'},),
            types={"a": "string"},
        ),
    )

    def step(self, columns: Columns, links: Mapping[str, Columns]) -> Step:
        column = text_column(columns, self.field, self.kind)
        # The function takes a pattern, in which only what is escaped means itself.
        parts = call("SPLIT", ref(column), exp.Literal.string(re.escape(self.delimiter)))
        output = self.output or column.name
        return project(columns, {output: exp.JSONFormat(this=parts)}, {output: STRING})


def text_column(columns: Columns, name: str, kind: str) -> Column:
    """A column of text.

    Raises:
        SqlError: there is no such column.
        ContractError: it is not text.
    """
    column = columns.visible.get(name)
    if not is_text(column.type) and not is_unknown(column.type):
        raise ContractError(
            f"{kind} needs text, but column '{column.name}' is {type_name(column.type)}.",
            cure="Cast it to string first.",
        )
    return column
