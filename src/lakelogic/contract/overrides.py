"""Values that replace the file's: of the chosen environment, and of `--set key=value`."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from pathlib import Path as FilePath

from lakelogic.contract.places import Path, Places
from lakelogic.contract.reading import resolved
from lakelogic.errors import ContractError, Place, did_you_mean

PATH_KEYS = {"path", "target_path", "target", "location", "archive_path", "manifest_path", "output_path"}


def apply_environment(data: dict[str, object], places: Places, environment: str | None) -> list[ContractError]:
    """Puts path and format of the chosen environment in place of the source's; returns what is wrong with it."""
    known = data.get("environments")
    if environment is None or not isinstance(known, dict) or not known:
        return []
    if environment not in known:
        cure = did_you_mean(environment, [str(name) for name in known])
        return [
            ContractError(f"environment '{environment}' is unknown.", cure=cure, place=places.of(("environments",)))
        ]
    block = "server" if "server" in data and "source" not in data else "source"
    changes, target = known[environment], data.setdefault(block, {})
    if isinstance(changes, dict) and isinstance(target, dict):
        for key in changes.keys() & {"path", "format"}:
            target[key] = changes[key]
            origin = ("environments", environment, key)
            places.keys[(block, key)] = places.of(origin)
            places.values[(block, key)] = places.of_value(origin)
    return []


def apply_overrides(data: dict[str, object], places: Places, overrides: Mapping[str, object]) -> list[ContractError]:
    """Puts values of the command line in place of the file's; returns what is wrong with their keys."""
    problems = []
    for dotted, value in overrides.items():
        place = Place(f"--set {dotted}")
        try:
            path = _put(data, dotted.split("."), _given(dotted, value))
        except LookupError as error:
            problems.append(ContractError(str(error.args[0]), place=place))
        else:
            places.keys[path] = places.values[path] = place
    return problems


def _put(data: dict[str, object], parts: list[str], value: object) -> Path:
    """Sets the value at a dotted path, making the mappings on the way; returns the path."""
    path: Path = ()
    current: object = data
    for part in parts[:-1]:
        step = _step(current, part)
        path = (*path, step)
        if isinstance(current, dict) and current.get(step) is None:
            current[step] = {}
        current = current[step]  # type: ignore[index]
    last = _step(current, parts[-1])
    current[last] = value  # type: ignore[index]
    return (*path, last)


def _step(container: object, part: str) -> str | int:
    match container:
        case dict() if part:
            return part
        case list() if part.isascii() and part.isdigit() and int(part) < len(container):
            return int(part)
        case list():
            raise LookupError(f"'{part}' is no position in a list of {len(container)}; the first is 0.")
        case _:
            raise LookupError(f"'{part}' can't stand here.")


def _given(dotted: str, value: object) -> object:
    """A value of the command line: JSON for lists and mappings, paths from the working directory, else as in YAML."""
    if not isinstance(value, str):
        return value
    if value.startswith(("[", "{")):
        try:
            return json.loads(value)
        except json.JSONDecodeError:
            return value
    if dotted.rsplit(".", 1)[-1] in PATH_KEYS and (is_relative_path(value) or FilePath(value).exists()):
        return str(FilePath.cwd() / value)
    return resolved(value)


def is_relative_path(value: str) -> bool:
    """Whether a value is a path that depends on where it stands: no address, no catalog name, not a bare word."""
    if re.match(r"[A-Za-z][A-Za-z0-9+.-]*:", value) or value.startswith(("/", "~", "$", "{")):
        return False
    return "/" in value or value.startswith(".")
