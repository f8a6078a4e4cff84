"""Values of each type that engines treat differently if they treat any so."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, date, datetime
from decimal import Decimal
from math import inf, nan

from sqlglot import exp

from lakelogic.sql.build import is_text

_Type = exp.DType

_TEXTS = (
    "",
    " ",
    "a",
    " padded ",
    "ÄÖ ß",
    "e\u0301",
    "😀",
    "O'Brien",
    'say "hi"',
    "a,b;c",
    "100%",
    "NULL",
    "line\nend",
)
_WHOLE = ("0", "1", "-1", " 12 ", "+7", "007", "12.0", "12.9", "1e3", "99999999999999999999", "abc", "0x1F", "")
_DECIMALS = (
    "0",
    "-0.0",
    "1.5",
    "2.675",
    ".5",
    "5.",
    "1e3",
    "1,5",
    "NaN",
    "Infinity",
    "-1.005",
    "123456789012345678901.23",
    "x",
)
_DAYS = (
    "2024-02-29",
    "2023-02-29",
    "2024-2-1",
    "2024-13-01",
    "0001-01-01",
    "9999-12-31",
    "2024",
    "20240229",
    "today",
    "",
)
_MOMENTS = (
    "2024-02-29 12:34:56",
    "2024-03-31T01:30:00",
    "2024-10-27 02:30:00+02:00",
    "2024-01-01T00:00:00Z",
    "2024-01-01",
    "1969-12-31 23:59:59.999999",
    "2024-01-01 25:00:00",
    "now",
    "",
)
_TRUTHS = ("true", "FALSE", "t", "no", "1", "0", "yes", "maybe", "")

# How a value of a declared type may be written where the source holds text.
_WRITTEN: Mapping[exp.DType, tuple[str, ...]] = {
    **dict.fromkeys((_Type.INT, _Type.BIGINT, _Type.SMALLINT, _Type.TINYINT), _WHOLE),
    **dict.fromkeys((_Type.DOUBLE, _Type.FLOAT, _Type.DECIMAL), _DECIMALS),
    **dict.fromkeys((_Type.TIMESTAMP, _Type.TIMESTAMPTZ, _Type.TIMESTAMPLTZ, _Type.TIMESTAMPNTZ), _MOMENTS),
    _Type.DATE: _DAYS,
    _Type.BOOLEAN: _TRUTHS,
}
_BITS: Mapping[exp.DType, int] = {_Type.TINYINT: 8, _Type.SMALLINT: 16, _Type.INT: 32, _Type.BIGINT: 64}
_POINTS = (0.0, -0.0, 0.5, 1.5, 2.675, -1.005, 1e300, 5e-324, nan, inf, -inf)
_DATES = (date(2024, 2, 29), date(1970, 1, 1), date(1969, 12, 31), date(1, 1, 1), date(9999, 12, 31))
_TIMES = (
    datetime(2024, 2, 29, 12, 34, 56, 789_012, tzinfo=UTC),
    datetime(1970, 1, 1, tzinfo=UTC),
    datetime(1969, 12, 31, 23, 59, 59, 999_999, tzinfo=UTC),
    datetime(2024, 3, 31, 1, 30, tzinfo=UTC),
    datetime(2024, 10, 27, 0, 30, tzinfo=UTC),
    datetime(9999, 12, 31, 23, 59, 59, tzinfo=UTC),
)


def edges(stored: exp.DataType, declared: exp.DataType | None) -> list[object]:
    """Values of a column that are worth a row of their own, NULL among them.

    `declared` is what the model makes of the column; a text column is then filled with such values as text.
    """
    if is_text(stored):
        written = _WRITTEN.get(declared.this, ()) if declared is not None else ()
        return [None, *(written or _TEXTS)]
    return [None, *_typed(stored)]


def plain(stored: exp.DataType, declared: exp.DataType | None, number: int) -> object:
    """An ordinary value, another one for each number."""
    if is_text(stored):
        return str(_ordinary(declared, number)) if declared is not None and not is_text(declared) else f"v{number}"
    return _ordinary(stored, number)


def _ordinary(data_type: exp.DataType, number: int) -> object:
    kind = data_type.this
    if kind in _BITS:
        return number % (1 << (_BITS[kind] - 1))
    if kind in (_Type.DOUBLE, _Type.FLOAT):
        return number + 0.25
    if kind == _Type.DECIMAL:
        return Decimal(number % 10)
    if kind == _Type.DATE:
        return date.fromordinal(date(2024, 1, 1).toordinal() + number % 3000)
    if kind in (_Type.TIMESTAMP, _Type.TIMESTAMPTZ, _Type.TIMESTAMPLTZ):
        return datetime.fromtimestamp(1_704_067_200 + number, tz=UTC)
    if kind == _Type.TIMESTAMPNTZ:
        return datetime.fromtimestamp(1_704_067_200 + number, tz=UTC).replace(tzinfo=None)
    return {_Type.BOOLEAN: number % 2 == 0, _Type.BINARY: b"bytes", _Type.VARBINARY: b"bytes"}.get(kind)


def _typed(data_type: exp.DataType) -> list[object]:
    kind = data_type.this
    if kind in _BITS:
        limit = 1 << (_BITS[kind] - 1)
        return [0, 1, -1, 7, -7, limit - 1, -limit]
    if kind in (_Type.DOUBLE, _Type.FLOAT):
        return list(_POINTS)
    if kind == _Type.DECIMAL:
        return [Decimal(0), Decimal(1), Decimal(-1)]
    if kind in (_Type.TIMESTAMP, _Type.TIMESTAMPTZ, _Type.TIMESTAMPLTZ):
        return list(_TIMES)
    simple: Mapping[exp.DType, list[object]] = {
        _Type.TIMESTAMPNTZ: [moment.replace(tzinfo=None) for moment in _TIMES],
        _Type.DATE: list(_DATES),
        _Type.BOOLEAN: [True, False],
        _Type.BINARY: [b"", b"\x00\xff"],
        _Type.VARBINARY: [b"", b"\x00\xff"],
    }
    return simple.get(kind, [])
