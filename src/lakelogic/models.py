"""What every model read from YAML or JSON shares."""

from __future__ import annotations

from typing import Annotated, Any

from annotated_types import MinLen
from pydantic import AliasChoices, BaseModel, BeforeValidator, ConfigDict, GetJsonSchemaHandler, model_validator
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema


def _as_list(value: object) -> object:
    return [value] if isinstance(value, (str, int, float)) and not isinstance(value, bool) else value


Name = Annotated[str, MinLen(1)]
Names = Annotated[tuple[Name, ...], BeforeValidator(_as_list, json_schema_input_type=Name | list[Name])]
"""One name, or a list of names."""


def is_own_key(key: object) -> bool:
    """Whether a key is the user's own (`x-…`): allowed wherever keys stand, and without meaning to us."""
    return isinstance(key, str) and key.startswith("x-")


def keys_of(model: type[BaseModel]) -> set[str]:
    """The keys that a model reads, under every name it knows them by."""
    return {name for field in model.model_fields for name in spellings(model, field)}


def spellings(model: type[BaseModel], field: str) -> list[str]:
    """The keys under which a field may be written, the usual one first."""
    info = model.model_fields[field]
    alias = info.validation_alias or info.alias
    choices = alias.choices if isinstance(alias, AliasChoices) else [alias]
    return list(dict.fromkeys([*(choice for choice in choices if isinstance(choice, str)), field]))


class Model(BaseModel):
    """A frozen model that refuses keys it does not know, but for those that begin with `x-`."""

    # Numbers become text where text is meant, so that `version: 1.10` need not be quoted.
    model_config = ConfigDict(
        extra="forbid",
        frozen=True,
        populate_by_name=True,
        coerce_numbers_to_str=True,
        allow_inf_nan=False,
        protected_namespaces=(),
        # Most kinds of rules and transformations are in no contract: a model is built when it is first used.
        defer_build=True,
    )

    @model_validator(mode="before")
    @classmethod
    def _without_own_keys(cls, value: Any) -> Any:
        if isinstance(value, dict) and any(is_own_key(key) for key in value):
            return {key: item for key, item in value.items() if not is_own_key(key)}
        return value

    @classmethod
    def __get_pydantic_json_schema__(cls, schema: CoreSchema, handler: GetJsonSchemaHandler) -> JsonSchemaValue:
        """The model in an editor's eyes: every spelling of a key, and the user's own."""
        shown = handler(schema)
        body = handler.resolve_ref_schema(shown)
        properties, required = body.setdefault("properties", {}), body.get("required", [])
        for field in cls.model_fields:
            usual, *others = spellings(cls, field)
            properties.update({other: properties[usual] for other in others if usual in properties})
            if others and usual in required:
                required.remove(usual)
        body["patternProperties"] = {"^x-": {}}
        return shown
