"""JSON values as declared types, as FROM_JSON converts them: what does not fit is broken."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta
from decimal import ROUND_HALF_UP, Context, Decimal
from functools import lru_cache

from sqlglot import exp

from lakelogic.sql.duckdb.json_reading import Fraction, Members, Whole, parsed, written
from lakelogic.sql.typing.documents import parsed_type
from lakelogic.sql.typing.lattice import (
    digits_of,
    element,
    is_array,
    is_decimal,
    is_map,
    is_string,
    is_struct,
    map_parts,
    members,
)

_Type = exp.DType
Convert = Callable[[object], object]
_LIMITS = {_Type.TINYINT: 2**7, _Type.SMALLINT: 2**15, _Type.INT: 2**31, _Type.BIGINT: 2**63}
_SPECIAL = {"NaN": "NaN", "Infinity": "inf", "+Infinity": "inf", "INF": "inf", "+INF": "inf"}
_SPECIAL |= {"-Infinity": "-inf", "-INF": "-inf"}
_EXACT = Context(prec=100, rounding=ROUND_HALF_UP)
_DATE = re.compile(r"([0-9]{4})(?:-([0-9]{1,2})(?:-([0-9]{1,2})(?:[ T].*)?)?)?", re.DOTALL)
_MOMENT = re.compile(
    r"([0-9]{4})(?:-([0-9]{1,2})(?:-([0-9]{1,2})(?:[ T]([0-9]{1,2})(?::([0-9]{1,2})"
    r"(?::([0-9]{1,2})(?:\.([0-9]*))?(Z|UTC|GMT|[+-][0-9]{2}:?[0-9]{2})?)?)?)?)?)?"
)


class Broken(ValueError):
    """A part that is not of the type that was declared."""


def converted(text: str, schema: str, broken: str) -> str | None:
    """JSON text in which every scalar is text that DuckDB casts without fail; NULL where nothing can be read.

    `broken` names the member that takes the text if a part of it does not fit.
    """
    if not text.strip():
        return None
    data_type = _declared(schema)
    try:
        value = parsed(text)
        if is_struct(data_type):
            return written(_row(value, data_type, text, broken))
        return written(_converter(schema)(value))
    except (ValueError, RecursionError):
        return written(_nothing(data_type, text, broken)) if is_struct(data_type) else None


def _row(value: object, data_type: exp.DataType, text: str, broken: str) -> Members:
    """A struct whose members were read one by one, so that one which does not fit loses only itself."""
    if isinstance(value, list) and not isinstance(value, Members):
        value = value[0] if value else None
    if not isinstance(value, Members):
        raise Broken
    there, row, lost = dict(value), Members(), False
    for name, kind in members(data_type):
        held = there.get(name)
        try:
            row.append((name, None if held is None else _converter(_named(kind))(held)))
        except ValueError:
            lost = True
            row.append((name, None))
    return Members((name, text if lost and name == broken else held) for name, held in row)


def _nothing(data_type: exp.DataType, text: str, broken: str) -> Members:
    return Members((name, text if name == broken else None) for name, _ in members(data_type))


def _named(data_type: exp.DataType) -> str:
    return data_type.sql("spark")


@lru_cache(maxsize=512)
def _declared(schema: str) -> exp.DataType:
    return parsed_type(schema)


@lru_cache(maxsize=512)
def _converter(schema: str) -> Convert:
    return _convert_to(parsed_type(schema))


def _convert_to(data_type: exp.DataType) -> Convert:
    if is_array(data_type):
        inner = _convert_to(element(data_type))
        return lambda value: [_maybe(inner, held) for held in _elements(value)]
    if is_map(data_type):
        held_type = _convert_to(map_parts(data_type)[1])
        return lambda value: Members((name, _maybe(held_type, held)) for name, held in dict(_pairs(value)).items())
    if is_struct(data_type):
        parts = [(name, _convert_to(kind)) for name, kind in members(data_type)]
        return lambda value: _struct(dict(_pairs(value)), parts)
    if is_string(data_type):
        return _text
    if is_decimal(data_type):
        digits, scale = digits_of(data_type)
        return lambda value: _decimal(value, digits, scale)
    if data_type.this in _LIMITS:
        limit = _LIMITS[data_type.this]
        return lambda value: _whole(value, limit)
    return _SCALARS[data_type.this]


def _maybe(convert: Convert, value: object) -> object:
    return None if value is None else convert(value)


def _struct(there: dict[str, object], parts: list[tuple[str, Convert]]) -> Members:
    return Members((name, _maybe(convert, there.get(name))) for name, convert in parts)


def _elements(value: object) -> list[object]:
    if isinstance(value, list) and not isinstance(value, Members):
        return value
    raise Broken


def _pairs(value: object) -> Members:
    if isinstance(value, Members):
        return value
    raise Broken


def _text(value: object) -> str:
    return str(value) if isinstance(value, str) else written(value)


def _whole(value: object, limit: int) -> str:
    if isinstance(value, Whole) and -limit <= int(value) < limit:
        return str(int(value))
    raise Broken


def _double(value: object) -> str:
    if isinstance(value, (Whole, Fraction)):
        return repr(float(value))
    if isinstance(value, str) and value in _SPECIAL:
        return _SPECIAL[value]
    raise Broken


def _decimal(value: object, digits: int, scale: int) -> str:
    if not isinstance(value, (Whole, Fraction)):
        raise Broken
    rounded = Decimal(value).quantize(Decimal(1).scaleb(-scale), context=_EXACT)
    if len(rounded.as_tuple().digits) > digits:
        raise Broken
    return format(rounded, "f")


def _boolean(value: object) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    raise Broken


def _date(value: object) -> str:
    match = _DATE.fullmatch(value.strip()) if isinstance(value, str) else None
    if match is None:
        raise Broken
    year, month, day = (int(part or 1) for part in match.groups())
    return date(year, month, day).isoformat()


def _local(value: object) -> tuple[datetime, str]:
    match = _MOMENT.fullmatch(value.strip()) if isinstance(value, str) else None
    if match is None:
        raise Broken
    year, month, day, hour, minute, second, fraction, zone = match.groups()
    clock = (int(hour or 0), int(minute or 0), int(second or 0), int((fraction or "").ljust(6, "0")[:6]))
    return datetime(int(year), int(month or 1), int(day or 1), *clock, tzinfo=UTC), zone or ""


def _moment(value: object) -> str:
    local, zone = _local(value)
    offset = timedelta(0)
    if zone[:1] in {"+", "-"}:
        offset = timedelta(hours=int(zone[1:3]), minutes=int(zone[-2:])) * (-1 if zone[0] == "-" else 1)
    return (local - offset).isoformat(sep=" ")


def _moment_without_zone(value: object) -> str:
    return _local(value)[0].replace(tzinfo=None).isoformat(sep=" ")


_SCALARS: dict[exp.DType, Convert] = {
    _Type.FLOAT: _double,
    _Type.DOUBLE: _double,
    _Type.BOOLEAN: _boolean,
    _Type.DATE: _date,
    _Type.TIMESTAMPTZ: _moment,
    _Type.TIMESTAMPNTZ: _moment_without_zone,
}
SCALARS = frozenset({*_SCALARS, *_LIMITS, _Type.TEXT, _Type.DECIMAL})
"""The types that a member of a document may be declared as."""
