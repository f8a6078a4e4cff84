"""Spark's types: how they are made, and the type that several values have in common."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cache, reduce

from sqlglot import exp

from lakelogic.sql.types import UNKNOWN, parse_type

_Type = exp.DType
MAX_DIGITS = 38
_MIN_SCALE = 6

NULL = exp.DataType(this=_Type.NULL)
INTERVAL = exp.DataType(this=_Type.INTERVAL)
TEXT = frozenset({_Type.TEXT, _Type.VARCHAR, _Type.CHAR, _Type.NVARCHAR})
INTEGERS = (_Type.TINYINT, _Type.SMALLINT, _Type.INT, _Type.BIGINT)
FRACTIONS = (_Type.FLOAT, _Type.DOUBLE)
NUMBERS = frozenset({*INTEGERS, *FRACTIONS, _Type.DECIMAL})
MOMENTS = (_Type.DATE, _Type.TIMESTAMPNTZ, _Type.TIMESTAMPTZ)
_ORDER = (*INTEGERS, *FRACTIONS)
_DIGITS = {_Type.TINYINT: 3, _Type.SMALLINT: 5, _Type.INT: 10, _Type.BIGINT: 20}
_ONE_NAME = {
    _Type.VARCHAR: "string",
    _Type.CHAR: "string",
    _Type.NVARCHAR: "string",
    _Type.TIMESTAMP: "timestamp",
    _Type.TIMESTAMPLTZ: "timestamp",
    _Type.VARBINARY: "binary",
}


@cache
def named(name: str) -> exp.DataType:
    """A type by its name in Spark."""
    return parse_type(name)


def normal(data_type: exp.DataType | None) -> exp.DataType:
    """The type with one spelling for each meaning, such as string for varchar."""
    if data_type is None or data_type.this in {_Type.UNKNOWN, _Type.USERDEFINED}:
        return UNKNOWN
    if data_type.this in _ONE_NAME:
        return named(_ONE_NAME[data_type.this])
    if data_type.this == _Type.DECIMAL and len(data_type.expressions) != 2:
        digits = int(data_type.expressions[0].name) if data_type.expressions else 10
        return decimal(digits, 0)
    if is_array(data_type):
        return array_of(element(data_type))
    if is_map(data_type):
        return map_of(*map_parts(data_type))
    if is_struct(data_type):
        return struct_of((name, normal(kind)) for name, kind in members(data_type))
    return data_type


def decimal(digits: int, scale: int) -> exp.DataType:
    """A decimal; what exceeds 38 digits is cut as Spark cuts a declared type."""
    return named(f"decimal({min(digits, MAX_DIGITS)},{min(scale, MAX_DIGITS)})")


def fitted(digits: int, scale: int) -> exp.DataType:
    """A decimal of a computation: beyond 38 digits the scale gives way, but not below six."""
    if digits <= MAX_DIGITS:
        return decimal(digits, scale)
    whole = digits - scale
    return decimal(MAX_DIGITS, max(MAX_DIGITS - whole, min(scale, _MIN_SCALE)))


def digits_of(data_type: exp.DataType) -> tuple[int, int]:
    """Digits and scale of a decimal, or of the decimal that holds an integer type."""
    if data_type.this in _DIGITS:
        return _DIGITS[data_type.this], 0
    first, second = normal(data_type).expressions
    return int(first.name), int(second.name)


def array_of(inner: exp.DataType) -> exp.DataType:
    return exp.DataType(this=_Type.ARRAY, expressions=[inner.copy()], nested=True)


def map_of(key: exp.DataType, value: exp.DataType) -> exp.DataType:
    return exp.DataType(this=_Type.MAP, expressions=[key.copy(), value.copy()], nested=True)


def struct_of(parts: Iterable[tuple[str, exp.DataType]]) -> exp.DataType:
    fields = [exp.ColumnDef(this=exp.to_identifier(name, quoted=True), kind=kind.copy()) for name, kind in parts]
    return exp.DataType(this=_Type.STRUCT, expressions=fields, nested=True)


def element(data_type: exp.DataType) -> exp.DataType:
    """The type of a list's elements."""
    inner = data_type.expressions[0] if is_array(data_type) and data_type.expressions else None
    return normal(inner) if isinstance(inner, exp.DataType) else UNKNOWN


def map_parts(data_type: exp.DataType) -> tuple[exp.DataType, exp.DataType]:
    """The types of a map's keys and values."""
    if not is_map(data_type) or len(data_type.expressions) != 2:
        return UNKNOWN, UNKNOWN
    key, value = data_type.expressions
    return normal(key), normal(value)


def members(data_type: exp.DataType) -> list[tuple[str, exp.DataType]]:
    """The members of a struct: names and types."""
    if not is_struct(data_type):
        return []
    return [(part.name, normal(part.args.get("kind"))) for part in data_type.expressions]


def member(data_type: exp.DataType, name: str) -> exp.DataType:
    return next((kind for found, kind in members(data_type) if found.lower() == name.lower()), UNKNOWN)


def is_array(data_type: exp.DataType) -> bool:
    return bool(data_type.this == _Type.ARRAY)


def is_map(data_type: exp.DataType) -> bool:
    return bool(data_type.this == _Type.MAP)


def is_struct(data_type: exp.DataType) -> bool:
    return bool(data_type.this == _Type.STRUCT)


def is_string(data_type: exp.DataType) -> bool:
    return data_type.this in TEXT


def is_integer(data_type: exp.DataType) -> bool:
    return data_type.this in INTEGERS


def is_fraction(data_type: exp.DataType) -> bool:
    return data_type.this in FRACTIONS


def is_decimal(data_type: exp.DataType) -> bool:
    return bool(data_type.this == _Type.DECIMAL)


def is_numeric(data_type: exp.DataType) -> bool:
    return data_type.this in NUMBERS


def is_known(data_type: exp.DataType | None) -> bool:
    """Whether the type is known in all its parts."""
    if data_type is None:
        return False
    return all(part.this not in {_Type.UNKNOWN, _Type.NULL} for part in data_type.find_all(exp.DataType))


def common(types: Sequence[exp.DataType]) -> exp.DataType:
    """The least type that can hold values of all these types, as Spark finds it when it isn't ANSI."""
    found = [data_type for data_type in types if data_type.this != _Type.NULL]
    # Spark looks for a type other than string first, since finding one doesn't go pairwise through strings.
    found.sort(key=is_string)
    return reduce(_wider, found) if found else NULL


def _wider(left: exp.DataType, right: exp.DataType) -> exp.DataType:
    if left == right:
        return left
    if is_numeric(left) and is_numeric(right):
        return _wider_number(left, right)
    if left.this in MOMENTS and right.this in MOMENTS:
        return left if MOMENTS.index(left.this) > MOMENTS.index(right.this) else right
    if is_array(left) and is_array(right):
        return array_of(_wider_part(element(left), element(right)))
    if is_map(left) and is_map(right):
        pairs = zip(map_parts(left), map_parts(right), strict=True)
        return map_of(*(_wider_part(a, b) for a, b in pairs))
    if is_string(left) or is_string(right):
        other = left if is_string(right) else right
        plain = is_numeric(other) or other.this in (*MOMENTS, _Type.BOOLEAN)
        return named("string") if plain and other.this != _Type.BOOLEAN else UNKNOWN
    return UNKNOWN


def _wider_part(left: exp.DataType, right: exp.DataType) -> exp.DataType:
    return common([left, right])


def _wider_number(left: exp.DataType, right: exp.DataType) -> exp.DataType:
    if is_decimal(left) or is_decimal(right):
        if is_fraction(left) or is_fraction(right):
            return named("double")
        (p1, s1), (p2, s2) = digits_of(left), digits_of(right)
        scale = max(s1, s2)
        return decimal_bounded(max(p1 - s1, p2 - s2) + scale, scale)
    if _Type.FLOAT in {left.this, right.this} and _Type.BIGINT in {left.this, right.this}:
        return named("float")
    return left if _ORDER.index(left.this) > _ORDER.index(right.this) else right


def decimal_bounded(digits: int, scale: int) -> exp.DataType:
    """A decimal that is wider than 38 digits loses scale before it loses whole digits."""
    if digits <= MAX_DIGITS:
        return decimal(digits, scale)
    return decimal(MAX_DIGITS, max(0, scale - (digits - MAX_DIGITS)))
