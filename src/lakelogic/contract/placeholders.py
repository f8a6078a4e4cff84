"""`{name}` in a contract: filled from the mesh around it, its own names and the chosen environment."""

from __future__ import annotations

import re
from collections.abc import Mapping

# `${NAME}` is a variable of the environment.
_PLACEHOLDER = re.compile(r"(?<!\$)\{([A-Za-z_]\w*)\}")
# Elsewhere braces mean something else: patterns, masks, templates, SQL.
_BLOCKS = ("dataset", "info", "metadata", "source", "server", "links", "quarantine", "materialization", "exports")
_NOT_FILLED = ("query", "filter", "notifications", "description", "title")


def fill_placeholders(data: dict[str, object], values: Mapping[str, str]) -> None:
    """Puts values in place of the placeholders that are known; the others stay, and are refused where one is needed."""
    for block in _BLOCKS:
        if block in data:
            data[block] = _filled(data[block], values)


def settled(values: Mapping[str, str]) -> dict[str, str]:
    """Values that may name each other, each written out."""
    known = dict(values)
    # Each round fills at least one level; what names itself never ends, and stays as it is.
    for _ in known:
        known = {
            name: _text(value, {other: known[other] for other in known if other != name})
            for name, value in known.items()
        }
    return known


def placeholder_in(text: str) -> str | None:
    """The name of a placeholder that is still open."""
    found = _PLACEHOLDER.search(text)
    return found[1] if found else None


def _filled(value: object, values: Mapping[str, str]) -> object:
    if isinstance(value, dict):
        return {key: item if key in _NOT_FILLED else _filled(item, values) for key, item in value.items()}
    if isinstance(value, list):
        return [_filled(item, values) for item in value]
    return _text(value, values) if isinstance(value, str) and "{" in value else value


def _text(text: str, values: Mapping[str, str]) -> str:
    return _PLACEHOLDER.sub(lambda match: values.get(match[1], match[0]), text)
