"""Columns that came, went, or became something else."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from difflib import SequenceMatcher

from lakelogic.contract.diff.base import Change, Effect, changed, comparisons
from lakelogic.contract.fields import ModelField
from lakelogic.contract.loaded import LoadedContract
from lakelogic.errors import Place
from lakelogic.sql.types import parse_type, type_name
from lakelogic.sql.typing.widening import fits

_ALIKE = 0.6
_WORDS = ("description", "classification", "security_groups", "pii_vault", "milestone", "generated", "extraction_task",
          "extraction_examples")  # fmt: skip
_PRIVATE = ("pii", "phi", "sensitive")


@comparisons.add("columns")
def columns(old: LoadedContract, new: LoadedContract) -> Iterator[Change]:
    """Columns added, removed, renamed; types, NULLs, masks and words of those that stayed."""
    before, after, renamed = _fields(old), _fields(new), renames(old, new)
    for name, (position, field) in before.items():
        place = old.place("model", "fields", position)
        if name in renamed:
            yield Change(
                "breaking", "column-renamed", field.name, f"seems renamed to '{after[renamed[name]][1].name}'", place
            )
        elif name not in after:
            yield Change("breaking", "column-removed", field.name, "is gone", place)
    for name, (position, field) in after.items():
        place = new.place("model", "fields", position)
        if name in before:
            yield from _differences(before[name][1], field, place)
        elif name in renamed.values():
            earlier = next(was for was, now in renamed.items() if now == name)
            yield from _differences(before[earlier][1], field, place)
        else:
            told = f"is new{': ' + type_name(parse_type(field.type)) if field.type else ''}"
            yield Change("safe", "column-added", field.name, told, place)
            yield from _required(ModelField(name=field.name), field, place)
    if _order(before, after) and not renamed:
        yield Change(
            "informational", "columns-reordered", "model.fields", "the order changed", new.place("model", "fields")
        )


def renames(old: LoadedContract, new: LoadedContract) -> Mapping[str, str]:
    """Columns that seem to have another name now, both lowered."""
    return dict(_renamed(_fields(old), _fields(new)))


def _fields(loaded: LoadedContract) -> dict[str, tuple[int, ModelField]]:
    return {field.name.lower(): (at, field) for at, field in enumerate(loaded.model.model.fields)}


def _order(before: Mapping[str, object], after: Mapping[str, object]) -> bool:
    return [name for name in before if name in after] != [name for name in after if name in before]


def _renamed(
    before: Mapping[str, tuple[int, ModelField]], after: Mapping[str, tuple[int, ModelField]]
) -> Iterator[tuple[str, str]]:
    """Columns that went and came with the same type, at the same place or under a name much like the old one."""
    gone, came = [name for name in before if name not in after], [name for name in after if name not in before]
    for name in gone:
        position, field = before[name]
        alike = [
            (other == position, SequenceMatcher(None, name, each).ratio(), each)
            for each in came
            for other, candidate in (after[each],)
            if _type(candidate) == _type(field)
        ]
        if alike and ((best := max(alike))[1] >= _ALIKE or (best[0] and len(gone) == len(came) == 1)):
            came.remove(best[2])
            yield name, best[2]


def _differences(old: ModelField, new: ModelField, place: Place) -> Iterator[Change]:
    name = new.name
    if _type(old) != _type(new):
        effect, code = _retyped(old, new)
        yield Change(effect, code, name, f"type {changed(_type(old), _type(new))}", place)
    yield from _required(old, new, place)
    if _mask(old) != _mask(new):
        yield Change("breaking", "mask-changed", name, f"masking {changed(_mask(old), _mask(new))}", place)
    if [getattr(old, key) for key in _PRIVATE] != [getattr(new, key) for key in _PRIVATE]:
        told = "is private now" if new.is_personal else "is no longer private"
        yield Change("informational", "privacy-changed", name, told, place)
    if old.foreign_key != new.foreign_key:
        pointed = [f"{key.contract}.{key.column}" if key else None for key in (old.foreign_key, new.foreign_key)]
        effect = "breaking" if new.foreign_key is not None else "safe"
        yield Change(effect, "foreign-key-changed", name, f"foreign key {changed(*pointed)}", place)
    for key in _WORDS:
        if getattr(old, key) != getattr(new, key):
            yield Change("informational", "column-described", name, f"{key.replace('_', ' ')} changed", place)


def _required(old: ModelField, new: ModelField, place: Place) -> Iterator[Change]:
    if old.must_be_present == new.must_be_present:
        return
    if new.must_be_present:
        told = "is required now: rows without it are quarantined"
        yield Change("breaking", "column-required", new.name, told, place)
    else:
        yield Change("breaking", "column-optional", new.name, "may be NULL now", place)


def _type(field: ModelField) -> str | None:
    return type_name(parse_type(field.type)) if field.type else None


def _retyped(old: ModelField, new: ModelField) -> tuple[Effect, str]:
    if old.type is None or new.type is None:
        return "breaking", "type-changed"
    before, after = parse_type(old.type), parse_type(new.type)
    if fits(before, after):
        return "safe", "type-widened"
    return "breaking", "type-narrowed" if fits(after, before) else "type-changed"


def _mask(field: ModelField) -> str:
    parts = [field.masking, field.masking_format, field.masking_mode if field.masking_mode != "random" else None]
    return " ".join(part for part in parts if part)
