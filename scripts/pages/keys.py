"""The keys of a model as a table: what may be written, what is meant, what holds when nothing is written."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Annotated, Any, Literal, get_args, get_origin

from pydantic import BaseModel
from pydantic.fields import FieldInfo
from pydantic_core import PydanticUndefined

from lakelogic.contract.kinds import KindOf
from lakelogic.contract.one_of import allowed_names
from lakelogic.contract.values import DateText, Duration, Property, Ratio
from lakelogic.models import Name, Names, spellings
from lakelogic.transforms.base import TypeName
from scripts.pages.markdown import prose, table, words, written

HEAD = ("key", "value", "default", "meaning")

_NAMED: Mapping[Any, str] = {
    Name: "text",
    Names: "a name or a list",
    Duration: "a time such as 24h",
    DateText: "a date",
    Ratio: "a share",
    Property: "text",
    TypeName: "a type",
}
_PLAIN: Mapping[object, str] = {
    str: "text",
    bool: "true or false",
    int: "a whole number",
    float: "a number",
    object: "anything",
    Any: "anything",
}
_SCALARS = {bool, int, float, str}


def key_table(
    model: type[BaseModel], *, without: Iterable[str] = (), not_yet: Mapping[str, tuple[object, ...]] | None = None
) -> str:
    """The keys of a model; `not_yet` holds those that are refused, with the values that are, or none for all."""
    left_out, refused = set(without), not_yet or {}
    rows = []
    for field, info in model.model_fields.items():
        if field in left_out:
            continue
        key, *others = spellings(model, field)
        told = prose(info.description)
        if others and field not in others[-1:]:
            told += f" Also written {words(others)}."
        rows.append((f"`{key}`", value_of(info), _default(info), _with_limits(told, key, refused)))
    return table(HEAD, rows)


def value_of(info: FieldInfo) -> str:
    """What may be written for a key, in words."""
    if names := allowed_names(info.annotation, *info.metadata):
        return words(names)
    whole = Annotated[info.annotation, *info.metadata] if info.metadata else info.annotation
    return _phrase(whole)


def inner_model(annotation: object) -> type[BaseModel] | KindOf | None:
    """The model, or the kinds, that a key holds one or many of."""
    if isinstance(annotation, KindOf) or (isinstance(annotation, type) and issubclass(annotation, BaseModel)):
        return annotation
    found = [inner for inner in map(inner_model, get_args(annotation)) if inner is not None]
    return next((inner for inner in found if isinstance(inner, KindOf)), found[0] if found else None)


def is_list(annotation: object) -> bool:
    return get_origin(annotation) is tuple


def is_mapping(annotation: object) -> bool:
    origin = get_origin(annotation)
    return isinstance(origin, type) and issubclass(origin, Mapping)


def _phrase(annotation: object) -> str:
    for known, phrase in _NAMED.items():
        if annotation == known:
            return phrase
    origin, arguments = get_origin(annotation), get_args(annotation)
    if origin is Annotated:
        return _phrase(arguments[0])
    if origin is Literal:
        return words(arguments)
    if origin is tuple:
        return f"a list of {_many(arguments[0])}" if arguments[-1] is ... else " and ".join(map(_phrase, arguments))
    if is_mapping(annotation):
        return "keys and values" if inner_model(arguments[1]) is None else "names and blocks"
    if arguments:
        return _choice([each for each in arguments if each is not type(None)])
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return "a block"
    return _PLAIN.get(annotation, "a value")


def _choice(arguments: list[object]) -> str:
    plain = [each for each in arguments if each in _SCALARS]
    if len(plain) > 2:
        return "a value"
    return " or ".join(dict.fromkeys(_phrase(each) for each in arguments))


def _many(annotation: object) -> str:
    if inner_model(annotation) is not None:
        return "blocks"
    return {"text": "texts", "a value": "values", "anything": "values"}.get(_phrase(annotation), _phrase(annotation))


def _default(info: FieldInfo) -> str:
    if info.is_required():
        return "*required*"
    default = info.default
    if default is PydanticUndefined or default is None or isinstance(default, BaseModel) or default in ((), {}):
        return ""
    return f"`{default}`" if isinstance(default, str) and default.strip(' ,"') else f"`{written(default)}`"


def _with_limits(meaning: str, key: str, refused: Mapping[str, tuple[object, ...]]) -> str:
    if key not in refused:
        return meaning
    return f"{meaning} *Not yet: {words(refused[key])}.*" if refused[key] else f"*Not yet.* {meaning}"
