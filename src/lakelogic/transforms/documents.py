"""Transformations of JSON documents."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from pydantic import Field, field_validator
from sqlglot import exp, jsonpath
from sqlglot.errors import ParseError, TokenError

from lakelogic.sql.build import ref
from lakelogic.sql.convert import as_text, convert
from lakelogic.sql.types import STRING, Columns, parse_type
from lakelogic.transforms.base import Step, Transform, TransformExample, TypeName, project, transform

_PARTS = (exp.JSONPathRoot, exp.JSONPathKey, exp.JSONPathSubscript, exp.JSONPathWildcard)


@transform("json_extract")
class JsonExtract(Transform):
    """A value from a JSON document; a malformed document or a failing cast gives NULL."""

    field: str = Field(description="The column for the value.")
    source: str = Field(description="The column with the document: JSON text, a struct, a list or a map.")
    path: str = Field(description="Where the value is: $.address.city, $.items[0], $['a b'].")
    cast: TypeName | None = Field(None, description="The type of the value; text when absent.")

    examples: ClassVar[tuple[TransformExample, ...]] = (
        TransformExample(
            {"field": "city", "source": "doc", "path": "$.address.city"},
            before=({"doc": '{"address": {"city": "Köln"}}'}, {"doc": "{}"}, {"doc": "{broken"}, {"doc": None}),
            after=(
                {"doc": '{"address": {"city": "Köln"}}', "city": "Köln"},
                {"doc": "{}", "city": None},
                {"doc": "{broken", "city": None},
                {"doc": None, "city": None},
            ),
            types={"doc": "string"},
        ),
        TransformExample(
            {"field": "n", "source": "doc", "path": "$['a b'][1]", "cast": "int"},
            before=({"doc": '{"a b": [1, 2]}'}, {"doc": '{"a b": [1, "x"]}'}, {"doc": '{"a b": 1}'}),
            after=(
                {"doc": '{"a b": [1, 2]}', "n": 2},
                {"doc": '{"a b": [1, "x"]}', "n": None},
                {"doc": '{"a b": 1}', "n": None},
            ),
            types={"doc": "string"},
        ),
        TransformExample(
            {"field": "doc", "source": "doc", "path": "a", "cast": "array<int>"},
            before=({"doc": {"a": [1, 2]}}, {"doc": None}),
            after=({"doc": [1, 2]}, {"doc": None}),
            types={"doc": "struct<a:array<int>>"},
        ),
    )

    @field_validator("path")
    @classmethod
    def _known_path(cls, path: str) -> str:
        _parse_path(path)
        return path

    def step(self, columns: Columns, links: Mapping[str, Columns]) -> Step:
        column = columns.visible.get(self.source)
        target = parse_type(self.cast) if self.cast else STRING
        value = exp.JSONExtractScalar(this=as_text(ref(column), column.type), expression=_parse_path(self.path))
        return project(columns, {self.field: convert(value, STRING, target)}, {self.field: target})


def _parse_path(path: str) -> exp.JSONPath:
    """The path as a tree.

    Raises:
        ValueError: no path, or one that not every engine can follow.
    """
    try:
        parsed = jsonpath.parse(path.strip())
    except (ParseError, TokenError):
        parsed = None
    if parsed is None or not path.strip() or not all(isinstance(part, _PARTS) for part in parsed.expressions):
        raise ValueError(f"the path '{path}' is not understood; write $.a.b, $.a[0] or $['a b']")
    return parsed
