"""JSON text as Spark reads it. DuckDB's own reader rewrites numbers, so these few functions are Python."""

from __future__ import annotations

import json
import re
from functools import lru_cache
from typing import NoReturn


class Whole(str):
    """The digits of a whole number, as they were written."""


class Fraction(str):
    """The digits of a number with a fraction or exponent, as they were written."""


class Members(list[tuple[str, object]]):
    """The members of an object, in order; a name may come twice."""


def _no_constant(name: str) -> NoReturn:
    raise ValueError(name)


_DECODER = json.JSONDecoder(
    object_pairs_hook=Members, parse_int=Whole, parse_float=Fraction, parse_constant=_no_constant, strict=False
)
_QUOTED = re.compile(r"\"(?:[^\"\\]|\\.)*\"|'((?:[^'\\]|\\.)*)'", re.DOTALL)


def parsed(text: str) -> object:
    """The first value in a text; what follows it is not looked at.

    Raises:
        ValueError: malformed.
    """
    start = text.lstrip(" \t\r\n")
    try:
        value, end = _DECODER.raw_decode(start)
    except ValueError:
        if "'" not in text:
            raise
        # Single quotes are allowed as well.
        start = _QUOTED.sub(_double_quoted, start)
        value, end = _DECODER.raw_decode(start)
    if isinstance(value, (Whole, Fraction)) and start[end : end + 1].strip():
        raise ValueError("a number runs into something else")
    return value


def _double_quoted(match: re.Match[str]) -> str:
    inner = match.group(1)
    return match.group() if inner is None else json.dumps(inner.replace("\\'", "'"), ensure_ascii=False)


@lru_cache(maxsize=256)
def _steps(path: str) -> tuple[str | int, ...]:
    found: list[str | int] = json.loads(path)
    return tuple(found)


def value_at(text: str, path: str) -> str | None:
    """What GET_JSON_OBJECT finds at a path, which is given as a JSON list of names and places."""
    try:
        return _found(parsed(text), _steps(path))
    except (ValueError, RecursionError):
        return None


def _found(value: object, steps: tuple[str | int, ...]) -> str | None:
    if not steps:
        plain = isinstance(value, str) and not isinstance(value, Fraction)
        return str(value) if plain else written(value)
    step, rest = steps[0], steps[1:]
    if isinstance(step, str) and isinstance(value, Members):
        matching = (_found(held, rest) for name, held in value if name == step and held is not None)
        return next((found for found in matching if found is not None), None)
    if isinstance(step, int) and isinstance(value, list) and not isinstance(value, Members) and step < len(value):
        return _found(value[step], rest)
    return None


def member_names(text: str) -> list[str] | None:
    """The names of an object's members."""
    try:
        value = parsed(text)
    except (ValueError, RecursionError):
        return None
    return [name for name, _ in value] if isinstance(value, Members) else None


def list_length(text: str) -> int | None:
    """How many elements a list has."""
    try:
        value = parsed(text)
    except (ValueError, RecursionError):
        return None
    return len(value) if isinstance(value, list) and not isinstance(value, Members) else None


def written(value: object) -> str:
    """A value as compact JSON; numbers with a fraction as Java prints doubles."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, Fraction):
        return java_double(float(value))
    if isinstance(value, Whole):
        return str(value)
    if isinstance(value, Members):
        return "{" + ",".join(f"{_text(name)}:{written(held)}" for name, held in value) + "}"
    if isinstance(value, list):
        return "[" + ",".join(written(held) for held in value) + "]"
    return _text(str(value))


def _text(value: str) -> str:
    return json.dumps(value, ensure_ascii=False)


def java_double(number: float) -> str:
    """A double as Java prints it."""
    if number in (float("inf"), float("-inf")):
        return "Infinity" if number > 0 else "-Infinity"
    if number == 0 or 1e-3 <= abs(number) < 1e7:
        return repr(number)
    digits, _, exponent = repr(abs(number)).partition("e")
    whole, _, fraction = digits.partition(".")
    figures = (whole + fraction).lstrip("0")
    # The figures begin after the zeros of a small number that was written out.
    power = int(exponent or 0) + len(whole) - 1 - (len(whole + fraction) - len(figures))
    figures = figures.rstrip("0")
    return f"{'-' if number < 0 else ''}{figures[0]}.{figures[1:] or '0'}E{power}"
