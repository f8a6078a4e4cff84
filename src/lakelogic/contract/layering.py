"""A contract that several files have a say in: its values, and where each was written."""

from __future__ import annotations

from dataclasses import dataclass

from lakelogic.contract.places import Path, Places
from lakelogic.errors import Place


@dataclass(frozen=True)
class Written:
    """A value as it stands in some file, with the way to it."""

    value: object
    places: Places
    path: Path = ()

    def __getitem__(self, key: str | int) -> Written:
        return Written(self.value[key], self.places, (*self.path, key))  # type: ignore[index]


@dataclass(frozen=True)
class Layered:
    """What is known of a contract so far; the file that speaks first has the last word."""

    data: dict[str, object]
    places: Places

    def add(self, to: Path, said: Written) -> bool:
        """Adds a value where nothing was said yet; a mapping is added key by key. Whether anything was added."""
        parent = self.data
        for end, part in enumerate(to[:-1], 1):
            if part not in parent:
                parent[str(part)] = {}
                self.places.keys[to[:end]] = said.places.of(said.path)
            inner = parent[str(part)]
            # What has the wrong shape is told when the contract is checked.
            if not isinstance(inner, dict):
                return False
            parent = inner
        key = str(to[-1])
        if key not in parent:
            self._put(parent, to, said)
            return True
        if not isinstance(said.value, dict) or not isinstance(parent[key], dict):
            return False
        added = [self.add((*to, inner_key), said[inner_key]) for inner_key in said.value]
        return any(added)

    def replace(self, to: str, said: Written) -> None:
        """Puts a value in place of what was said at the top level."""
        self._put(self.data, (to,), said)

    def arrange(self, to: Path, items: list[Written]) -> None:
        """Makes a list of items that come from several files."""
        parent = self.data
        for part in to[:-1]:
            inner = parent.setdefault(str(part), {})
            if not isinstance(inner, dict):
                return
            parent = inner
        parent[str(to[-1])] = [item.value for item in items]
        taken = [_places_within(item) for item in items]
        for position, (keys, values) in enumerate(taken):
            self.places.keys.update({(*to, position, *path): place for path, place in keys.items()})
            self.places.values.update({(*to, position, *path): place for path, place in values.items()})

    def items(self, *to: str) -> list[Written]:
        """The items of a list, each with its place; none where there is no list."""
        value: object = self.data
        for part in to:
            value = value.get(part) if isinstance(value, dict) else None
        if not isinstance(value, list):
            return []
        return [Written(item, self.places, (*to, position)) for position, item in enumerate(value)]

    def _put(self, parent: dict[str, object], to: Path, said: Written) -> None:
        parent[str(to[-1])] = _copied(said.value)
        keys, values = _places_within(said)
        self.places.keys.update({(*to, *path): place for path, place in keys.items()})
        self.places.values.update({(*to, *path): place for path, place in values.items()})


def _places_within(said: Written) -> tuple[dict[Path, Place], dict[Path, Place]]:
    """The places of a value and of everything in it, by the way from the value."""
    keys: dict[Path, Place] = {}
    values: dict[Path, Place] = {}
    waiting: list[tuple[Path, object]] = [((), said.value)]
    while waiting:
        path, value = waiting.pop()
        here = (*said.path, *path)
        keys[path], values[path] = said.places.of(here), said.places.of_value(here)
        if isinstance(value, dict):
            waiting.extend(((*path, key), item) for key, item in value.items())
        elif isinstance(value, list):
            waiting.extend(((*path, index), item) for index, item in enumerate(value))
    return keys, values


def _copied(value: object) -> object:
    if isinstance(value, dict):
        return {key: _copied(item) for key, item in value.items()}
    return [_copied(item) for item in value] if isinstance(value, list) else value
