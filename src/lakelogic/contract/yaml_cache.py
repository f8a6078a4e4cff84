"""YAML that was parsed before, found again by a hash of its text: parsing is most of what loading a contract takes."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from pathlib import Path
from typing import Any
from uuid import uuid4

from lakelogic.contract.nodes import Mapping, Node, NodeBuilder, Scalar, Sequence
from lakelogic.errors import Place

FORMAT = 1


class YamlCache:
    """The nodes of texts, in one file that can be thrown away at any time, or as they were used `before`."""

    def __init__(self, path: Path, before: YamlCache | None = None) -> None:
        self._path = path
        self._known = before._used if before else _read(path)
        self._used: dict[str, Any] = {}

    def nodes(self, text: str, file: str) -> Node | None:
        """The nodes of a text, parsed if they are not known."""
        key = hashlib.sha256(text.encode()).hexdigest()
        if (stored := self._known.get(key)) is not None:
            self._used[key] = stored
            return _decoded(stored, file)
        builder = NodeBuilder(file)
        root = builder.build(text)
        # Aliases repeat what they name, and a small text could become a large entry.
        if root is not None and not builder.anchors:
            self._used[key] = _encoded(root)
        return root

    def save(self) -> None:
        """Keep what was used this time; where that can't be written, the next time parses again."""
        if self._used.keys() <= self._known.keys():
            return
        temporary = self._path.with_name(f".{self._path.name}.{uuid4().hex}")
        with suppress(OSError):
            self._path.parent.mkdir(parents=True, exist_ok=True)
            temporary.write_text(json.dumps({"format": FORMAT, "nodes": self._used}), encoding="utf-8")
            temporary.replace(self._path)


_CURRENT: ContextVar[YamlCache | None] = ContextVar("yaml_cache", default=None)


@contextmanager
def remembered(path: Path, *, save: bool = True, before: YamlCache | None = None) -> Iterator[YamlCache]:
    """Inside, YAML that is known from the file, or was read `before` by this process, is not parsed again."""
    cache = YamlCache(path, before)
    token = _CURRENT.set(cache)
    try:
        yield cache
    finally:
        _CURRENT.reset(token)
    if save:
        cache.save()


def nodes_of(text: str, file: str) -> Node | None:
    """The nodes of a YAML text.

    Raises:
        ContractInvalid: it is no YAML, or not a safe one.
    """
    cache = _CURRENT.get()
    return NodeBuilder(file).build(text) if cache is None else cache.nodes(text, file)


def _read(path: Path) -> dict[str, Any]:
    """What the file holds; nothing where it is missing, damaged or of another release."""
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    known = data.get("nodes") if isinstance(data, dict) and data.get("format") == FORMAT else None
    return known if isinstance(known, dict) else {}


def _encoded(node: Node) -> list[Any]:
    at = [node.place.line, node.place.column]
    if isinstance(node, Scalar):
        return [*at, node.text, node.plain]
    if isinstance(node, Sequence):
        return [*at, [_encoded(item) for item in node.items]]
    return [*at, None, [[_encoded(key), _encoded(value)] for key, value in node.entries]]


def _decoded(stored: list[Any], file: str) -> Node:
    line, column, first, *rest = stored
    place = Place(file, line, column)
    if isinstance(first, str):
        return Scalar(first, rest[0], place)
    if first is not None:
        return Sequence(place, [_decoded(item, file) for item in first])
    return Mapping(place, [(_decoded(key, file), _decoded(value, file)) for key, value in rest[0]])
