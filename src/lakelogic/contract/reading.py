"""YAML read safely: plain data, and the place of every key and value."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from pathlib import Path as FilePath

from lakelogic.contract.nodes import MAX_DEPTH, MAX_NODES, Mapping, Node, Scalar, Sequence, invalid
from lakelogic.contract.places import Path, Places
from lakelogic.contract.yaml_cache import nodes_of
from lakelogic.errors import ContractError, ContractInvalid, Place, nearest

MAX_BYTES = 500_000
MERGE = "<<"

_WORDS = {"": None, "~": None} | {
    spelling: value
    for word, value in {"null": None, "true": True, "false": False}.items()
    for spelling in (word, word.capitalize(), word.upper())
}
_INT = re.compile(r"[-+]?[0-9]{1,400}")
_OTHER_BASE = re.compile(r"0o[0-7]{1,100}|0x[0-9a-fA-F]{1,100}")
_FLOAT = re.compile(r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?")


class WrittenInt(int):
    """A whole number that remembers how it was written, for places where text is meant."""

    text: str

    def __str__(self) -> str:
        return self.text


class WrittenFloat(float):
    """A number that remembers how it was written, for places where text is meant."""

    text: str

    def __str__(self) -> str:
        return self.text


def resolved(text: str) -> object:
    """What an unquoted value means in YAML 1.2: null, true, false, a number, or else text."""
    if text in _WORDS:
        return _WORDS[text]
    if _INT.fullmatch(text):
        whole = WrittenInt(text)
        whole.text = text
        return whole
    if _OTHER_BASE.fullmatch(text):
        return int(text, 0)
    if _FLOAT.fullmatch(text) and not math.isinf(float(text)):
        number = WrittenFloat(text)
        number.text = text
        return number
    return text


def decode(raw: bytes, file: str) -> str:
    """The text of a contract file.

    Raises:
        ContractInvalid: too large, or not UTF-8.
    """
    if len(raw) > MAX_BYTES:
        raise _too_long(file)
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        raise invalid("the file is not UTF-8 text.", Place(file, line), "Save it with encoding UTF-8.") from None


def path_cure(file: FilePath) -> str:
    """What to do about a file that is not there: take the one whose name is nearest, if there is one."""
    close = nearest(file.name, (each.name for each in file.parent.glob("*.y*ml")))
    return f"Did you mean '{file.parent / close}'?" if close else "Check the path."


def read_yaml(text: str, file: str) -> tuple[dict[str, object], Places]:
    """The mapping that a YAML text holds, as plain data, and where everything in it stands.

    Raises:
        ContractInvalid: not one safe YAML mapping; names every problem.
    """
    if len(text) > MAX_BYTES:
        raise _too_long(file)
    root = nodes_of(text, file)
    reader = _Reader(file)
    data = reader.value(root, ()) if root is not None else None
    if reader.problems:
        raise ContractInvalid(reader.problems)
    if data is None:
        raise invalid("the file is empty.", Place(file), "Run 'lakelogic template' for a start.")
    if not isinstance(data, dict):
        raise invalid("a contract is a mapping of keys such as 'source:' and 'model:'.", reader.places.of_value(()))
    return data, reader.places


def _too_long(file: str) -> ContractInvalid:
    return invalid(f"the file is larger than {MAX_BYTES:,} bytes.", Place(file), "A contract is smaller; is it data?")


class _Reader:
    """Turns nodes into plain data, expanding aliases and merge keys within bounds."""

    def __init__(self, file: str) -> None:
        self.problems: list[ContractError] = []
        self.places = Places(file)
        self.nodes = 0

    def value(self, node: Node, path: Path) -> object:
        self._count(node, len(path))
        self.places.values[path] = node.place
        if isinstance(node, Scalar):
            return resolved(node.text) if node.plain else node.text
        if isinstance(node, Sequence):
            return [self._item(item, (*path, index)) for index, item in enumerate(node.items)]
        return self._mapping(node, path)

    def _item(self, node: Node, path: Path) -> object:
        self.places.keys[path] = node.place
        return self.value(node, path)

    def _mapping(self, node: Mapping, path: Path) -> dict[str, object]:
        out: dict[str, object] = {}
        for key, value, merged in self._entries(node, len(path)):
            here = (*path, key.text)
            if key.text not in out:
                self.places.keys[here] = key.place
                out[key.text] = self.value(value, here)
            elif not merged:
                first = self.places.keys[here].line
                self._problem(f"key '{key.text}' stands twice, first on line {first}.", key.place, "Remove one.")
        return out

    def _entries(self, node: Mapping, depth: int) -> Iterator[tuple[Scalar, Node, bool]]:
        """The mapping's own entries, then those it merges in."""
        merges: list[Node] = []
        for key, value in node.entries:
            if not isinstance(key, Scalar):
                self._problem("a key must be text.", key.place, "Check for a stray '?', '[' or '{'.")
            elif key.plain and key.text == MERGE:
                merges.extend(value.items if isinstance(value, Sequence) else [value])
            else:
                yield key, value, False
        for merge in merges:
            self._count(merge, depth)
            if isinstance(merge, Mapping):
                yield from ((key, value, True) for key, value, _ in self._entries(merge, depth + 1))
            else:
                self._problem("'<<' takes a mapping or a list of mappings.", merge.place, "Write '<<: *anchor'.")

    def _count(self, node: Node, depth: int) -> None:
        # Aliases repeat what they name, so a small file can grow to a large one.
        self.nodes += 1
        if self.nodes > MAX_NODES or depth > MAX_DEPTH:
            raise invalid("the aliases expand to too much data.", node.place, "Use fewer or smaller anchors.")

    def _problem(self, message: str, place: Place, cure: str) -> None:
        self.problems.append(ContractError(message, cure=cure, place=place))
