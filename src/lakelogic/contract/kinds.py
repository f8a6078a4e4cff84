"""The `{kind: body}` shape of rules and transformations, read by whatever class is registered for the kind."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Annotated, Any, Protocol

from pydantic import BaseModel, GetCoreSchemaHandler, GetJsonSchemaHandler
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema, PydanticCustomError, core_schema

from lakelogic.errors import LakeLogicError, did_you_mean
from lakelogic.models import is_own_key, keys_of
from lakelogic.rules.base import DatasetRule, RowRule, dataset_rules, row_rules
from lakelogic.transforms.base import Transform, transforms

PROBLEM = "lakelogic"


class Kinds(Protocol):
    """A registry of models."""

    def names(self) -> list[str]: ...

    def get(self, name: str) -> Any: ...

    def __contains__(self, name: object) -> bool: ...


def problem(message: str, cure: str | None = None, *, key: str | None = None) -> PydanticCustomError:
    """A problem in our own words; `key` is the key of the item it is about."""
    return PydanticCustomError(PROBLEM, "{text}", {"text": f"{message} {cure}" if cure else message, "key": key})


class KindOf:
    """Marks a place where any registered kind may stand, with the keys that all kinds share beside it or inside."""

    def __init__(self, registry: Kinds, noun: str, base: type[BaseModel]) -> None:
        self.registry = registry
        self.noun = noun
        self.shared = keys_of(base)

    def classes(self) -> dict[str, type[BaseModel]]:
        """Every registered kind with its model."""
        return {name: self.registry.get(name) for name in self.registry.names()}

    def __get_pydantic_core_schema__(self, source: object, handler: GetCoreSchemaHandler) -> CoreSchema:
        # A contract has few of all kinds: the model of one is built when the kind is first read.
        choices: dict[Any, CoreSchema] = {
            name: core_schema.no_info_plain_validator_function(partial(_read, name, model, self.shared))
            for name, model in self.classes().items()
        }
        return core_schema.no_info_before_validator_function(
            self._checked, core_schema.tagged_union_schema(choices=choices, discriminator=self._kind)
        )

    def __get_pydantic_json_schema__(self, schema: CoreSchema, handler: GetJsonSchemaHandler) -> JsonSchemaValue:
        return {"anyOf": [_item_schema(name, model, handler) for name, model in self.classes().items()]}

    def _kind(self, item: Mapping[str, object]) -> str | None:
        return next((key for key in item if key in self.registry), None)

    def _checked(self, item: object) -> object:
        if not isinstance(item, Mapping):
            raise problem(f"a {self.noun} must be written as 'kind: …', such as 'sql: …', not alone.")
        kinds = [key for key in item if key in self.registry]
        if len(kinds) > 1:
            listed = " and ".join(f"'{kind}'" for kind in kinds)
            raise problem(f"one {self.noun} can't be {listed}.", f"Write two {self.noun}s.", key=kinds[1])
        if not kinds:
            raise self._no_kind([key for key in item if key not in self.shared and not is_own_key(key)])
        return item

    def _no_kind(self, candidates: list[str]) -> PydanticCustomError:
        names = self.registry.names()
        if not candidates:
            return problem(f"the {self.noun} has no kind.", f"Known: {', '.join(names)}.")
        return problem(
            f"{self.noun} '{candidates[0]}' is unknown.", did_you_mean(candidates[0], names), key=candidates[0]
        )


def _read(kind: str, model: Any, shared: set[str], item: Mapping[str, object]) -> object:
    """The item as its model, with the product's own errors told like all others."""
    try:
        return model.model_validate(_flattened(kind, model, shared, item))
    except LakeLogicError as error:
        raise problem(error.message, error.cure) from None


def _flattened(kind: str, model: Any, shared: set[str], item: Mapping[str, object]) -> object:
    body = item[kind]
    if body is None:
        raise problem(f"'{kind}' is empty.", "Write what it needs after the colon.", key=kind)
    beside = {key: value for key, value in item.items() if key != kind and not is_own_key(key)}
    if isinstance(body, Mapping):
        for key in beside:
            if key in body:
                raise problem(f"key '{key}' stands both beside '{kind}' and inside it.", "Remove one.", key=key)
            if key not in shared and key in keys_of(model):
                raise problem(f"key '{key}' belongs inside '{kind}'.", "Indent it.", key=key)
    inside = model.from_yaml(body)
    return {**inside, **beside} if isinstance(inside, Mapping) else inside


def _item_schema(kind: str, model: Any, handler: GetJsonSchemaHandler) -> JsonSchemaValue:
    """The item in an editor's eyes: `kind: body` and the shared keys, or the keys of a one-line form, beside it."""
    body = model.__get_pydantic_json_schema__(model.__pydantic_core_schema__, handler)
    resolved = handler.resolve_ref_schema(body)
    beside = {key: value for key, value in resolved.get("properties", {}).items() if key != kind}
    short: JsonSchemaValue = {"type": ["string", "array", "number"]}
    return {
        "type": "object",
        "description": resolved.get("description", kind),
        "properties": {kind: {"anyOf": [body, short]}, **beside},
        "patternProperties": {"^x-": {}},
        "required": [kind],
        "additionalProperties": False,
    }


AnyRowRule = Annotated[RowRule, KindOf(row_rules, "rule", RowRule)]
AnyDatasetRule = Annotated[DatasetRule, KindOf(dataset_rules, "rule", DatasetRule)]
AnyTransform = Annotated[Transform, KindOf(transforms, "transformation", Transform)]
