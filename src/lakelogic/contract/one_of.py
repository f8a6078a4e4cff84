"""Text that must be one of the names that are registered, those of other packages included."""

from __future__ import annotations

from collections.abc import Callable
from typing import get_args

from pydantic import GetCoreSchemaHandler, GetJsonSchemaHandler
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema, core_schema

from lakelogic.errors import did_you_mean


class OneOf:
    """Marks such a text: `Annotated[str, OneOf("masking", masking_names)]`."""

    def __init__(self, noun: str, names: Callable[[], list[str]]) -> None:
        self.noun = noun
        self.names = names

    def __get_pydantic_core_schema__(self, source: object, handler: GetCoreSchemaHandler) -> CoreSchema:
        return core_schema.no_info_after_validator_function(self._checked, handler(source))

    def __get_pydantic_json_schema__(self, schema: CoreSchema, handler: GetJsonSchemaHandler) -> JsonSchemaValue:
        return handler(schema) | {"enum": self.names()}

    def _checked(self, name: str) -> str:
        names = self.names()
        if name not in names:
            raise ValueError(f"{self.noun} '{name}' is unknown. {did_you_mean(name, names)}")
        return name


def allowed_names(*parts: object) -> list[str]:
    """The names that an annotation and its marks allow, if they name a closed set."""
    for part in parts:
        if isinstance(part, OneOf):
            return part.names()
        if names := allowed_names(*get_args(part)):
            return names
    return []
