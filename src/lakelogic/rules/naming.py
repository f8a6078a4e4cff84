"""Names of rules that were given none."""

from __future__ import annotations

import re
from collections.abc import Iterable

_WORD = re.compile(r"'(?:[^'\\]|\\.|'')*'|\"(?:[^\"\\]|\\.)*\"|`(?:[^`]|``)*`|\w+|<=>|[<>!=]+|[^\s\w]")
_OPERATORS = {
    "=": "eq",
    "==": "eq",
    "<=>": "eq",
    "<>": "ne",
    "!=": "ne",
    "<": "lt",
    "<=": "lte",
    ">": "gt",
    ">=": "gte",
}
_LONGEST = 48


def slug(sql: str) -> str:
    """A short machine name for a rule's SQL: `email LIKE '%@%.%'` → `email_like`."""
    words = [word for word in (_word(token) for token in _WORD.findall(sql)) if word]
    name = ""
    for word in words:
        longer = f"{name}_{word}" if name else word
        if len(longer) > _LONGEST:
            break
        name = longer
    return name or "".join(words[:1])[:_LONGEST] or "rule"


def unique_names(names: Iterable[str]) -> list[str]:
    """The names in order, each made unique by a number: `a, a` → `a, a_2`."""
    given = list(names)
    taken = {name.lower() for name in given}
    seen: set[str] = set()
    result = []
    for name in given:
        candidate, number = name, 1
        while candidate.lower() in seen or (number > 1 and candidate.lower() in taken):
            number += 1
            candidate = f"{name}_{number}"
        seen.add(candidate.lower())
        result.append(candidate)
    return result


def _word(token: str) -> str:
    if token in _OPERATORS:
        return _OPERATORS[token]
    if token[0] == "`":
        return re.sub(r"\W+", "_", token.strip("`")).strip("_").lower()
    # What a string holds is data, not a name.
    return token.lower() if re.fullmatch(r"\w+", token) else ""
