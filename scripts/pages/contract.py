"""The page of every key that a contract may hold."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from pydantic import BaseModel

from lakelogic.contract.kinds import KindOf
from lakelogic.contract.model import Contract
from lakelogic.contract.support import unbuilt_keys, unbuilt_values
from lakelogic.models import spellings
from scripts.pages.keys import inner_model, is_list, is_mapping, key_table
from scripts.pages.markdown import page, prose

_INTRODUCTION = """\
Every key that a contract may hold, generated from the models that read it.
A key that is not listed is an error with its file, line and the nearest known key; keys that begin with `x-` are yours.

*Not yet* marks what this release loads and then refuses, with the line, before anything is read.
Blocks that are refused as a whole are listed without their keys; `lakelogic template` shows those too."""

_KIND_PAGES = {"rule": "rules.md", "transformation": "transformations.md"}


def contract_page() -> str:
    """All blocks of a contract, each with its keys."""
    top = key_table(Contract, not_yet=_refused(()))
    return page("Contract", _INTRODUCTION, "## The top level", top, *_sections(Contract, ()))


def _sections(model: type[BaseModel], around: tuple[str, ...]) -> Iterator[str]:
    refused = _refused(around)
    for field, info in model.model_fields.items():
        key = spellings(model, field)[0]
        inner = inner_model(info.annotation)
        if inner is None or refused.get(key) == ():
            continue
        path = (*around, key)
        title = ".".join(path)
        yield f"{'#' * min(len(path) + 1, 4)} {title}{_shape(info.annotation)}"
        if isinstance(inner, KindOf):
            yield f"A list. Each item is one of [these {inner.noun}s]({_KIND_PAGES[inner.noun]})."
            continue
        yield prose(inner.__doc__)
        yield key_table(inner, not_yet=_refused(path))
        yield from _sections(inner, path)


def _shape(annotation: object) -> str:
    if is_list(annotation):
        return "[]"
    return ".{name}" if is_mapping(annotation) else ""


def _refused(block: tuple[str, ...]) -> Mapping[str, tuple[object, ...]]:
    """Keys of a block that are refused, and keys of which only some values are."""
    keys: dict[str, tuple[object, ...]] = {str(path[-1]): () for path in unbuilt_keys() if path[:-1] == block}
    values = {str(path[-1]): found for path, found in unbuilt_values().items() if path[:-1] == block}
    return {**values, **keys}
