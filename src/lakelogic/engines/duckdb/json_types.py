"""The types of json values, found by looking at every one of them, and merged as Spark does."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from functools import reduce
from math import isinf, isnan
from typing import Any

from sqlglot import exp

from lakelogic.sql.build import quoted
from lakelogic.sql.types import STRING, Columns, parse_type
from lakelogic.sql.typing.lattice import element, is_array, is_decimal, is_struct, members

_LONGEST_DECIMAL = 38
# Numbers of other sizes are written with an exponent.
_PLAIN_FROM, _PLAIN_TO = 1e-3, 1e7
_LONG = range(-(2**63), 2**63)


@dataclass(frozen=True)
class Scalar:
    """A simple type; `digits` are those of a whole number that is too long for a bigint."""

    name: str
    digits: int = 0


@dataclass(frozen=True)
class Array:
    """A list of one type; None where nothing was in it."""

    element: Found


@dataclass(frozen=True)
class Struct:
    """An object."""

    members: Mapping[str, Found]


Found = Scalar | Array | Struct | None

_TEXT, _BOOLEAN, _BIGINT, _DOUBLE = (Scalar(name) for name in ("string", "boolean", "bigint", "double"))


def found_in(value: object) -> Found:
    """The type of one value."""
    match value:
        case None:
            return None
        case float():
            return _DOUBLE
        case str():
            return _TEXT
        case bool():
            return _BOOLEAN
        case int():
            digits = len(str(abs(value)))
            return _BIGINT if value in _LONG else Scalar("decimal", digits) if digits <= _LONGEST_DECIMAL else _DOUBLE
        case list():
            return Array(reduce(merged, map(found_in, value), None))
        case dict():
            return Struct({name: found_in(member) for name, member in value.items()})
    raise TypeError(type(value).__name__)


def merged(left: Found, right: Found) -> Found:
    """The type that holds values of both; what has nothing in common is text."""
    if left is None or right is None or left == right:
        return right if left is None else left
    match left, right:
        case Struct(), Struct():
            names = [*left.members, *(name for name in right.members if name not in left.members)]
            return Struct({name: merged(left.members.get(name), right.members.get(name)) for name in names})
        case Array(), Array():
            return Array(merged(left.element, right.element))
        case Scalar(), Scalar() if {left.name, right.name} <= {"bigint", "decimal", "double"}:
            if _DOUBLE in (left, right):
                return _DOUBLE
            # A bigint has up to 20 digits, as Spark counts them.
            return Scalar("decimal", max(left.digits or 20, right.digits or 20))
    return _TEXT


def type_of(found: Found) -> exp.DataType | None:
    """The type by its name; None where there is nothing to hold, as in an object without members."""
    name = _name(found)
    return parse_type(name) if name else None


def _name(found: Found) -> str | None:
    match found:
        case None:
            return "string"
        case Scalar(name, digits):
            return f"decimal({digits},0)" if name == "decimal" else name
        case Array(inner):
            held = _name(inner)
            return f"array<{held}>" if held else None
        case Struct(parts):
            named = [(part, _name(kind)) for part, kind in sorted(parts.items())]
            listed = ",".join(f"{quoted(part)}:{kind}" for part, kind in named if kind)
            return f"struct<{listed}>" if listed else None


Shape = Callable[[Any], Any]


def shapes_of(columns: Columns) -> dict[str, Shape]:
    """For each column, what makes a value of it ready for its type."""
    return {column.name: _shape(column.type) for column in columns}


def _shape(data_type: exp.DataType) -> Shape:
    if data_type.this == STRING.this:
        return lambda value: value if value is None or type(value) is str else text_of(value)
    if data_type.this == exp.DType.DOUBLE:
        return lambda value: None if value is None else float(value)
    if is_decimal(data_type):
        return lambda value: None if value is None else Decimal(value)
    if is_array(data_type):
        inner = _shape(element(data_type))
        return lambda value: None if value is None else [inner(item) for item in value]
    if is_struct(data_type):
        parts = [(name, _shape(kind)) for name, kind in members(data_type)]
        return lambda value: None if value is None else {name: part(value.get(name)) for name, part in parts}
    return lambda value: value


def text_of(value: object) -> str:
    """A value that is no text as compact json, with numbers as Java writes them."""
    match value:
        case float():
            return _number(value)
        case list():
            return "[" + ",".join(map(text_of, value)) + "]"
        case dict():
            return "{" + ",".join(f"{json.dumps(k, ensure_ascii=False)}:{text_of(v)}" for k, v in value.items()) + "}"
    return json.dumps(value, ensure_ascii=False)


def _number(value: float) -> str:
    if isnan(value) or isinf(value):
        return f'"{"NaN" if isnan(value) else "Infinity" if value > 0 else "-Infinity"}"'
    if value == 0 or _PLAIN_FROM <= abs(value) < _PLAIN_TO:
        return repr(value)
    sign, digits, exponent = Decimal(repr(value)).normalize().as_tuple()
    first, *rest = map(str, digits)
    return f"{'-' if sign else ''}{first}.{''.join(rest) or '0'}E{len(rest) + int(exponent)}"
