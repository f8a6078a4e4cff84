"""What pydantic found wrong, told in our own words with the place in the file."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, get_args

from pydantic import BaseModel, ValidationError

from lakelogic.contract.kinds import PROBLEM, KindOf
from lakelogic.contract.places import Path, Places
from lakelogic.errors import ContractError, did_you_mean, nearest
from lakelogic.models import keys_of

_WANTED = {
    "string_type": "text",
    "int_type": "a whole number",
    "int_parsing": "a whole number",
    "int_from_float": "a whole number",
    "float_type": "a number",
    "float_parsing": "a number",
    "finite_number": "a number",
    "bool_type": "true or false",
    "bool_parsing": "true or false",
    "tuple_type": "a list",
    "list_type": "a list",
    "mapping_type": "a mapping",
    "dict_type": "a mapping",
    "model_type": "a mapping",
    "model_attributes_type": "a mapping",
}
_BOUNDS = {
    "greater_than_equal": "must be at least {ge:g}",
    "greater_than": "must be more than {gt:g}",
    "less_than_equal": "must be at most {le:g}",
    "less_than": "must be less than {lt:g}",
    "string_too_long": "must have at most {max_length} characters",
}


@dataclass(frozen=True)
class _Finding:
    """One of pydantic's errors, with the path of what it is about and the union branch it came from."""

    error: Mapping[str, Any]
    path: Path
    branch: tuple[Path, str] | None

    @property
    def type(self) -> str:
        return str(self.error["type"])

    @property
    def rank(self) -> int:
        """How much it says: a wrong part, then a wrong value, then only a wrong type."""
        if self.branch is not None and (len(self.path) > len(self.branch[0]) or self.type == "missing"):
            return 2
        return 0 if self.type in _WANTED else 1


def problems_of(
    error: ValidationError, root: type[BaseModel], data: Mapping[str, object], places: Places
) -> list[ContractError]:
    """Every problem of a contract, told with its place; `data` is what was written."""
    findings = _without_misspelt([_finding(item, data) for item in error.errors(include_url=False)])
    told = [_told(group, root, data, places) for group in _groups(findings)]
    return list({(problem.place, problem.message): problem for problem in told}.values())


def _finding(error: Mapping[str, Any], data: object) -> _Finding:
    """Follows pydantic's location through the data; parts that are not in the data name a branch of a union."""
    path: Path = ()
    branch: tuple[Path, str] | None = None
    loc = error["loc"][:-1] if error["type"] == "missing" else error["loc"]
    if error["type"] == PROBLEM:
        loc = (*loc, error["ctx"]["key"])
    for part in loc:
        if _holds(_at(data, path), part):
            path = (*path, part)
        # A key may stand beside its kind: `- range: {…}` with `severity:` below.
        elif path and _holds(_at(data, path[:-1]), part):
            path = (*path[:-1], part)
        elif isinstance(part, str) and branch is None:
            branch = (path, part)
    return _Finding(error, path, branch)


def _without_misspelt(findings: Sequence[_Finding]) -> list[_Finding]:
    """Leaves out a missing key that stands there misspelt: the unknown key tells it."""
    missing = {(item.path, str(item.error["loc"][-1])): item for item in findings if item.type == "missing"}
    for item in findings:
        if item.type == "extra_forbidden":
            around = item.path[:-1]
            if meant := nearest(str(item.path[-1]), [key for path, key in missing if path == around]):
                del missing[(around, meant)]
    return [item for item in findings if item.type != "missing" or item in missing.values()]


def _at(data: object, path: Path) -> object:
    for part in path:
        data = data[part]  # type: ignore[index]
    return data


def _holds(container: object, part: str | int) -> bool:
    if isinstance(container, Mapping):
        return part in container
    return isinstance(container, list) and isinstance(part, int) and part < len(container)


def _groups(findings: Sequence[_Finding]) -> Iterator[list[_Finding]]:
    """Findings that are told together: of a union, those of the branches that came nearest."""
    unions: dict[Path, list[_Finding]] = {}
    for finding in findings:
        if finding.branch is None:
            yield [finding]
        else:
            unions.setdefault(finding.branch[0], []).append(finding)
    for members in unions.values():
        best = max(member.rank for member in members)
        nearest_ones = [member for member in members if member.rank == best]
        if best == 0:
            yield nearest_ones
        else:
            yield from ([member] for member in nearest_ones)


def _told(group: Sequence[_Finding], root: type[BaseModel], data: object, places: Places) -> ContractError:
    finding = group[0]
    path, error = finding.path, finding.error
    value = _at(data, path)
    if finding.type == PROBLEM:
        return ContractError(error["ctx"]["text"], place=places.of(path))
    if finding.type == "extra_forbidden":
        return _unknown_key(str(path[-1]), root, error["loc"], places.of(path))
    if finding.type == "missing":
        inside = f" in {_subject(path)}" if path else ""
        return ContractError(f"key '{error['loc'][-1]}' is missing{inside}.", place=places.of(path))
    if value is None:
        cure = "Write a value, or remove the key."
        return ContractError(f"{_subject(path)} is empty.", cure=cure, place=places.of(path))
    message, advice = _value_problem(group, path, value)
    return ContractError(message, cure=advice, place=places.of_value(path))


def _value_problem(group: Sequence[_Finding], path: Path, value: object) -> tuple[str, str | None]:
    error, subject = group[0].error, _subject(path)
    kind, context = str(error["type"]), error.get("ctx", {})
    if kind == "literal_error":
        allowed = re.findall(r"'([^']*)'", context["expected"])
        cure = f"Allowed: {', '.join(allowed)}."
        if isinstance(value, str) and (close := nearest(value, allowed)):
            cure = f"Did you mean '{close}'? {cure}"
        return f"{subject} can't be {_shown(value)}.", cure
    if kind in _WANTED:
        wanted = dict.fromkeys(_WANTED[item.type] for item in group)
        return f"{subject} must be {' or '.join(wanted)}, not {_shown(value)}.", None
    if kind == "string_too_short":
        return f"{subject} must not be empty.", None
    if kind in _BOUNDS:
        return (f"{subject} {_BOUNDS[kind].format(**context)}, not {_shown(value)}.", None)
    text = str(context["error"]) if kind == "value_error" else str(error["msg"]).replace("Input should", "must", 1)
    told = f"{subject} {text}" if text.startswith(("must ", "is ")) else text
    return told if told.endswith((".", "?")) else f"{told}.", None


def _unknown_key(key: str, root: type[BaseModel], loc: Path, place: Any) -> ContractError:
    known = set().union(*(keys_of(model) for model in _models_around(root, loc)))
    if nearest(key, known) is None and (blocks := _blocks_with(root, key)):
        cure = f"It belongs under '{blocks[0]}'."
    else:
        cure = did_you_mean(key, known)
    return ContractError(f"key '{key}' is unknown.", cure=cure, place=place)


def _models_around(root: type[BaseModel], loc: Path) -> set[type[BaseModel]]:
    """The models that could hold the key at the end of pydantic's location."""
    current: dict[str, type[BaseModel]] | set[type[BaseModel]] = {root}
    for part in loc[:-1]:
        if isinstance(current, dict) and isinstance(part, str):
            current = {current[part]} if part in current else current
        elif isinstance(current, set):
            current = next((_inside(model, part) for model in current if part in model.model_fields), current)
    return set(current.values()) if isinstance(current, dict) else current


def _inside(model: type[BaseModel], part: str | int) -> dict[str, type[BaseModel]] | set[type[BaseModel]]:
    found = list(_types(model.model_fields[str(part)].annotation))
    kinds = next((item for item in found if isinstance(item, KindOf)), None)
    if kinds is not None:
        return kinds.classes()
    return {item for item in found if isinstance(item, type) and issubclass(item, BaseModel)}


def _types(annotation: object) -> Iterator[object]:
    yield annotation
    for inner in get_args(annotation):
        yield from _types(inner)


def _blocks_with(root: type[BaseModel], key: str) -> list[str]:
    """The top-level blocks that know a key."""
    return [
        name
        for name in root.model_fields
        if isinstance(models := _inside(root, name), set) and any(key in keys_of(model) for model in models)
    ]


def _subject(path: Path) -> str:
    """What a sentence is about: the key, or an item of the key's list."""
    if not path:
        return "the contract"
    if isinstance(path[-1], int):
        return f"{_subject(path[:-1])}[{path[-1]}]"
    return str(path[-1])


def _shown(value: object) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, int | float):
        return str(value)
    if isinstance(value, list):
        return "a list"
    if isinstance(value, Mapping):
        return "a mapping"
    text = str(value)
    return f"'{text}'" if len(text) <= 60 else f"'{text[:57]}…'"
