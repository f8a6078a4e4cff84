"""A contract with every key, its meaning, default and allowed values, generated from the models."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal, get_args, get_origin

from pydantic import BaseModel
from pydantic.fields import FieldInfo
from pydantic_core import PydanticUndefined

from lakelogic.contract.kinds import KindOf
from lakelogic.contract.model import Contract
from lakelogic.contract.one_of import allowed_names
from lakelogic.contract.places import Path
from lakelogic.contract.reading import resolved
from lakelogic.models import spellings

_HEADER = """\
# A LakeLogic data contract with every key there is.
# Lines without '#' in front are in use; remove the '# ' in front of others to use them.
# What a key means stands behind it; the value in a commented line is its default, or an example.
"""

# The least that runs: in use as generated.
_IN_USE: Mapping[Path, object] = {
    ("version",): "1",
    ("source", "path"): "data/customers/*.csv",
    ("model", "fields", "name"): "customer_id",
    ("model", "fields", "type"): "string",
    ("model", "fields", "required"): True,
    ("materialization", "strategy"): "append",
    ("materialization", "target_path"): "lake/silver/customers",
}
# Where there is no default, and the key's own name would be no value.
_EXAMPLES: Mapping[Path, object] = {
    ("links", "path"): "data/countries.csv",
    ("service_levels", "freshness", "threshold"): "24h",
    ("service_levels", "availability", "threshold"): 99,
    ("service_levels", "completeness", "threshold"): 99,
    ("external_logic", "path"): "logic/customers.py",
    ("exports", "table"): "LAB.SILVER.CUSTOMERS",
    # It has a meaning for other systems than the one that is shown.
    ("exports", "prefix"): None,
}
# Rules beside a field are the same as row_rules, which show every kind.
_KINDS_SHOWN: Mapping[Path, tuple[str, ...]] = {("model", "fields", "rules"): ("sql",)}


@dataclass(frozen=True)
class _Line:
    """One line: its path, its depth, and what it means."""

    path: Path
    depth: int
    text: str
    meaning: str = ""
    dash: bool = False

    def render(self) -> str:
        indent = "  " * self.depth
        text = f"{indent[:-2]}- {self.text}" if self.dash else f"{indent}{self.text}"
        meaning = f"  # {self.meaning}" if self.meaning else ""
        in_use = any(path[: len(self.path)] == self.path for path in _IN_USE)
        return f"{'' if in_use else '# '}{text.rstrip()}{meaning}"


def contract_template() -> str:
    """An annotated contract that loads as it is and shows every key."""
    blocks = [
        "\n".join(line.render() for line in _field_lines(Contract, field, (), 0)) for field in Contract.model_fields
    ]
    return "\n\n".join([_HEADER.rstrip(), *blocks]) + "\n"


def _field_lines(model: type[BaseModel], field: str, around: Path, depth: int) -> Iterator[_Line]:
    info = model.model_fields[field]
    key = spellings(model, field)[0]
    path = (*around, key)
    inner = _inner(info.annotation)
    if inner is None:
        yield _Line(path, depth, f"{key}: {_value(info, key, path)}", _meaning(info))
        return
    yield _Line(path, depth, f"{key}:", _meaning(info))
    if isinstance(inner, KindOf):
        shown = _KINDS_SHOWN.get(path, tuple(inner.classes()))
        for index, kind in enumerate(shown):
            yield from _kind_lines(inner, kind, path, depth + 2, whole=index == 0)
    elif get_origin(info.annotation) is tuple:
        yield from _item(_model_lines(inner, path, depth + 2))
    elif _is_mapping(info.annotation):
        yield _Line((*path, "default"), depth + 1, "default:", "A name of your choice.")
        yield from _model_lines(inner, (*path, "default"), depth + 2)
    else:
        yield from _model_lines(inner, path, depth + 1)


def _model_lines(model: type[BaseModel], path: Path, depth: int) -> Iterator[_Line]:
    for field in model.model_fields:
        yield from _field_lines(model, field, path, depth)


def _item(lines: Iterator[_Line]) -> Iterator[_Line]:
    """Lines of a mapping as one item of a list."""
    yield replace(next(lines), dash=True)
    yield from lines


def _kind_lines(kinds: KindOf, kind: str, path: Path, depth: int, *, whole: bool) -> Iterator[_Line]:
    """One rule or transformation with an example's values, and on demand the keys that all of them share."""
    model: Any = kinds.classes()[kind]
    example = model.from_yaml(model.examples[0].arguments) if model.examples else {}
    here = (*path, kind)
    yield _Line(here, depth, f"{kind}:", model.__doc__.splitlines()[0], dash=True)
    for field, info in model.model_fields.items():
        names = spellings(model, field)
        key = next((name for name in names if name in example), names[0])
        if field not in kinds.shared:
            text = _written(example[key]) if key in example else _value(info, key, (*here, key))
            yield _Line((*here, key), depth + 1, f"{key}: {text}", _meaning(info))
    for field, info in model.model_fields.items():
        if whole and field in kinds.shared:
            yield _Line((*here, field), depth, f"{field}: {_value(info, field, (*here, field))}", _meaning(info))


def _inner(annotation: object) -> KindOf | type[BaseModel] | None:
    """The model, or the kinds, that a key holds one or many of."""
    if isinstance(annotation, KindOf) or (isinstance(annotation, type) and issubclass(annotation, BaseModel)):
        return annotation
    found = [inner for inner in map(_inner, get_args(annotation)) if inner is not None]
    # Of `Annotated[RowRule, KindOf(…)]` the marker says what may stand there.
    return next((inner for inner in found if isinstance(inner, KindOf)), found[0] if found else None)


def _is_mapping(annotation: object) -> bool:
    origin = get_origin(annotation)
    return isinstance(origin, type) and issubclass(origin, Mapping)


def _value(info: FieldInfo, key: str, path: Path) -> str:
    if path in _IN_USE or path in _EXAMPLES:
        return _written(_IN_USE.get(path, _EXAMPLES.get(path)))
    if info.default is not PydanticUndefined:
        return _written(info.default)
    allowed = _allowed(info)
    return _written(allowed[0] if allowed else key)


def _written(value: object) -> str:
    """A value as YAML on one line; NULL is nothing."""
    if value is None:
        return ""
    if isinstance(value, str) and re.fullmatch(r"[\w][\w./*-]*", value) and isinstance(resolved(value), str):
        return value
    return json.dumps(value, ensure_ascii=False)


def _meaning(info: FieldInfo) -> str:
    allowed = _allowed(info)
    listed = f" Allowed: {', '.join(allowed)}." if allowed else ""
    return f"{'Required. ' if info.is_required() else ''}{info.description or ''}{listed}"


def _allowed(info: FieldInfo) -> list[str]:
    return allowed_names(info.annotation, *info.metadata) or _literals(info.annotation)


def _literals(annotation: object) -> list[str]:
    if get_origin(annotation) is Literal:
        return [str(value) for value in get_args(annotation)]
    return [value for inner in get_args(annotation) for value in _literals(inner)]
