"""Which file and line set each value of a contract."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from lakelogic.contract.loaded import LoadedContract
from lakelogic.contract.places import Path, dotted
from lakelogic.errors import Place
from lakelogic.project import place_of

_PROJECT = (("engine", "LAKELOGIC_ENGINE"), ("environment", "LAKELOGIC_ENV"), ("state", "LAKELOGIC_STATE"))


@dataclass(frozen=True)
class Origin:
    """A value, who said it, and where. A `${VARIABLE}` is shown as it was written."""

    key: str
    value: object
    said_by: str
    place: Place


def origins(loaded: LoadedContract) -> Sequence[Origin]:
    """Every value that was set, in the order of the contract, then the project's own."""
    told = [_origin(loaded, path, value) for path, value in _leaves(loaded.written, ())]
    return [*told, *_of_project(loaded)]


def _leaves(value: object, path: Path) -> Iterator[tuple[Path, object]]:
    if isinstance(value, dict) and value:
        for key, item in value.items():
            yield from _leaves(item, (*path, key))
    elif isinstance(value, list) and any(isinstance(item, dict | list) for item in value):
        for index, item in enumerate(value):
            yield from _leaves(item, (*path, index))
    elif path:
        yield path, value


def _origin(loaded: LoadedContract, path: Path, value: object) -> Origin:
    place = loaded.place(*path)
    return Origin(dotted(path), value, _speaker(loaded, path, place), place)


def _speaker(loaded: LoadedContract, path: Path, place: Place) -> str:
    if place.file.startswith("--"):
        return "command line"
    environment = loaded.environment
    if environment and path[0] != "environments":
        chosen = loaded.places.keys.get(("environments", environment, path[-1]))
        if chosen == place:
            return f"environment {environment}"
    return loaded.roles.get(place.file, "contract")


def _of_project(loaded: LoadedContract) -> Iterator[Origin]:
    project = loaded.project
    for name, variable in _PROJECT:
        if value := os.environ.get(variable):
            yield Origin(name, value, "environment variable", Place(variable))
        elif project.file and (said := getattr(project, name)):
            yield Origin(name, said, "project", place_of(project.file, name))
