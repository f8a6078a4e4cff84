"""Several files make one contract: who speaks first wins, and every value knows its file."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from lakelogic.contract.layering import Layered, Written
from lakelogic.contract.places import Path, Places
from lakelogic.errors import Place

_KEYS = st.sampled_from("abc")
_VALUES = st.recursive(
    st.one_of(st.integers(0, 3), st.lists(st.integers(0, 3), max_size=2)),
    lambda inner: st.dictionaries(_KEYS, inner, min_size=1, max_size=3),
    max_leaves=6,
)
_DOCUMENTS = st.lists(st.dictionaries(_KEYS, _VALUES, max_size=3), min_size=1, max_size=4)


def merged(first: Any, second: Any) -> Any:
    """What is meant: the first one's word, and of mappings what either says."""
    if not isinstance(first, dict) or not isinstance(second, dict):
        return first
    return {
        key: merged(first[key], second[key]) if key in first and key in second else first.get(key, second.get(key))
        for key in [*first, *second]
    }


def leaves(value: Any, path: Path = ()) -> list[tuple[Path, Any]]:
    if isinstance(value, dict) and value:
        return [leaf for key, item in value.items() for leaf in leaves(item, (*path, key))]
    return [(path, value)]


def places_of(document: dict[str, Any], file: str) -> Places:
    places = Places(file)
    for path, _ in leaves(document):
        for end in range(1, len(path) + 1):
            places.keys[path[:end]] = places.values[path[:end]] = Place(file, 1, end)
    return places


@given(_DOCUMENTS)
def test_the_first_that_says_something_wins_and_its_file_is_named(documents: list[dict[str, Any]]) -> None:
    files = [places_of(document, str(number)) for number, document in enumerate(documents)]
    layered = Layered(_copied(documents[0]), files[0])
    expected = documents[0]
    for document, places in zip(documents[1:], files[1:], strict=True):
        for key in document:
            layered.add((key,), Written(document[key], places, (key,)))
        expected = merged(expected, document)
    assert layered.data == expected
    for path, value in leaves(expected):
        if path:
            speaker = next(n for n, document in enumerate(documents) if _says(document, path))
            assert layered.places.of(path).file == str(speaker), (path, value)


def _copied(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _copied(item) for key, item in value.items()}
    return list(value) if isinstance(value, list) else value


def _says(document: Any, path: Path) -> bool:
    for part in path:
        if not isinstance(document, dict) or part not in document:
            return False
        document = document[part]
    return True
