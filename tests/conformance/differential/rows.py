"""Rows chosen to hurt: each column goes round its own list of values, so that pairs of columns meet in many ways."""

from __future__ import annotations

from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Any

from tests.conformance.evaluators import Frame

_NAN, _INF = float("nan"), float("inf")
_INT, _LONG = 2**31, 2**63


def _at(year: int, month: int, day: int, hour: int = 0, minute: int = 0, second: int = 0, micro: int = 0) -> datetime:
    return datetime(year, month, day, hour, minute, second, micro, tzinfo=UTC)


def _local(*parts: int) -> datetime:
    return _at(*parts).replace(tzinfo=None)


_TEXTS = [
    None, "", " ", "  padded  ", "Hello World", "hello", "ABC", "naïve", "ÀÉÎ õü", "straße", "e\u0301clair",
    "👩\u200d👩\u200d👧 family", "日本語テキスト", "it's", "a\\b", "line1\nline2", "tab\there", "x" * 30, "a,b,,c", "%_",
    "\u00a0nbsp\u00a0", "end\n", "a.b.c", "0", "-12", "null", "a-b_c", "AbAb ab", "\ufb01n",
]  # fmt: skip
_NUMERALS = [
    None, "", "12", " 12 ", "+5", "-7", "12.7", "12.", ".5", "1e3", "1E-2", "0x1F", "1_000", "2147483648",
    "-2147483648", "9223372036854775808", "NaN", "nan", "Infinity", "-inf", "1d", "1.5f", "abc", "\uff11\uff12",
    "00012", "1e400", "-0", "0.1", "9" * 38, "1,000", "true", "yes", "F", "\t7\n", "1.005", "123456789.987654321",
    "-", "+", ".", "1e", "1.25e-1", " ", "127", "-129", "32768",
]  # fmt: skip
_DAYS = [
    None, "", "2024-02-29", "2023-02-29", "2024-1-5", "2024-01", "2024", "20240105", "2024-01-05 10:11:12",
    "2024-01-05T10:11:12Z", "2024-01-05T10:11:12.123456789", "2024-01-05 10:11:12+02:00",
    "2024-01-05 10:11:12 Europe/Berlin", "0001-01-01", "9999-12-31 23:59:59.999999", " 2024-01-05 ", "2024-01-05T",
    "2024-01-05 1:2:3", "2024-13-01", "2024-01-32", "2024-01-05 24:00:00", "2024-01-05 10:11:60",
    "1969-12-31 23:59:59.5", "2024-01-05 10", "2024-01-05 10:11", "05/01/2024", "2024-01-05x",
    "2024-01-05 10:11:12.5 UTC", "2024-01-05 10:11:12GMT+1", "2024-01-05 10:11:12+5", "epoch", "+2024-01-05",
    "2024-01-05 10:11:12-08:00", "2024-01-05 10:11:12.", "2024-00-10", "infinity", "2024-01-05 10:11:12+0530",
    "2024-03-31 02:30:00 Europe/Berlin", "2024-10-27 02:30:00 Europe/Berlin", "202401", "0000-01-01",
]  # fmt: skip
_DOCUMENTS = [
    None, "", "{}", '{"a":1,"b":"x"}', '{"a":1.50,"b":{"c":[1,2,{"d":null}]}}', '{"a":null}', '{"a":"\\u00e9\\n"}', "[1,2,3]",
    '{"a":[{"b":1},{"b":2}]}', '{"a":1,"a":2}', "{broken", "not json", '{"a b":{"c":true}}', '{"a":1e3,"b":12345678901234567890}',
    '["a",null,"b"]', '"text"', "12", '{"a":" spaced "}', '{"a":{"x":1, "y": [ 1 , 2 ]}}', '{"a":false,"b":""}', "null",
    '{"a":1} trailing', '{"k":"v","n":5}',
]  # fmt: skip

_POOLS: dict[str, tuple[str, list[Any]]] = {
    "s": ("string", _TEXTS),
    "t": ("string", ["o", "l", None, "", "a", " ", "World", "é", "ab", "\n", "日", "%"]),
    "num": ("string", _NUMERALS),
    "day": ("string", _DAYS),
    "i": ("int", [None, 0, 1, -1, 7, -7, _INT - 1, -_INT, 100, 255, 3]),
    "j": ("int", [3, -3, 0, None, 2, -1, 5, _INT - 1, -_INT]),
    "b": ("bigint", [None, 0, 1, -1, _LONG - 1, -_LONG, 10**12, -(10**12), 42, 86400]),
    "c": ("tinyint", [None, 0, 1, -1, 127, -128, 5]),
    "h": ("smallint", [0, None, 1, -1, 32767, -32768, 9]),
    "x": ("double", [None, 0.0, -0.0, 1.0, -1.5, 2.5, 2.675, 1e10, 1e-5, 1e300, -1e300, _NAN, _INF, -_INF, 0.1, 123456.789, 5e-324]),
    "y": ("double", [0.0, 2.0, None, -3.0, _NAN, 0.5, _INF, 1e16, 3.0]),
    "f": ("float", [None, 0.0, 1.5, -2.25, _NAN, _INF, 3.0000000054977558e38, 0.10000000149011612, 16777216.0]),
    "p": ("decimal(10,2)", [None, Decimal("0.00"), Decimal("12.34"), Decimal("-12.35"), Decimal("99999999.99"), Decimal("0.05"), Decimal("-0.01"), Decimal("2.50")]),
    "q": ("decimal(18,6)", [Decimal("3.000000"), None, Decimal("0.000000"), Decimal("-7.123456"), Decimal("123456789012.123456"), Decimal("0.333333"), Decimal("1.000000")]),
    "big": ("decimal(38,10)", [None, Decimal("9" * 28 + ".9999999999"), Decimal("-" + "9" * 28 + ".9999999999"), Decimal("0.0000000001"), Decimal("1.0000000000"), Decimal("0E-10")]),
    "d": ("date", [None, date(2024, 2, 29), date(2023, 2, 28), date(1, 1, 1), date(9999, 12, 31), date(1970, 1, 1), date(1969, 12, 31), date(2024, 3, 31), date(2024, 12, 30), date(1582, 10, 15)]),
    "e": ("date", [date(2024, 1, 31), None, date(2024, 2, 29), date(2023, 3, 1), date(2000, 1, 1), date(2024, 10, 27), date(1900, 3, 1)]),
    "ts": ("timestamp", [None, _at(2024, 1, 1, 10, 11, 12, 500000), _at(1970, 1, 1), _at(1969, 12, 31, 23, 59, 59, 999999), _at(1, 1, 1), _at(9999, 12, 31, 23, 59, 59, 999999), _at(2024, 3, 31, 1, 0), _at(2024, 10, 27, 0, 30), _at(2024, 2, 29, 23, 59, 59), _at(1900, 1, 1, 0, 0, 1), _at(2024, 7, 1, 12, 0, 0, 1000)]),
    "u": ("timestamp", [_at(2024, 1, 31, 0, 0), _at(2024, 1, 1, 10, 11, 13), None, _at(2023, 12, 31, 23, 59, 59, 999999), _at(2024, 2, 29, 12, 30, 45, 120000)]),
    "n": ("timestamp_ntz", [None, _local(2024, 1, 1, 10, 11, 12, 500000), _local(1969, 12, 31, 23, 59, 59), _local(2024, 3, 31, 2, 30), _local(9999, 12, 31)]),
    "flag": ("boolean", [True, False, None]),
    "ok": ("boolean", [None, True, True, False]),
    "bin": ("binary", [None, b"", b"abc", b"\x00\xff\x10", "é".encode()]),
    "a": ("array<int>", [None, [], [1], [1, 2, 3], [3, 1, 2, 1], [None], [1, None, 2, None], [_INT - 1, -_INT]]),
    "a2": ("array<int>", [[2, 3], None, [], [None, 1], [5], [3, 3]]),
    "w": ("array<string>", [["a", "b"], None, [], ["", None, "z"], ["b", "a", "B"], ["é", "e"]]),
    "xs": ("array<double>", [[1.0, _NAN, -0.0, 0.0], None, [None, _INF], []]),
    "m": ("map<string,int>", [None, {}, {"a": 1}, {"a": 1, "b": None}, {"b": 2, "c": 3}]),
    "st": ("struct<a:int,b:string,c:array<int>>", [None, {"a": 1, "b": "x", "c": [1, 2]}, {"a": None, "b": None, "c": None}, {"a": -5, "b": "", "c": []}]),
    "sts": ("array<struct<k:string,v:double>>", [None, [], [{"k": "a", "v": 1.5}], [{"k": None, "v": None}, {"k": "b", "v": _NAN}], [None]]),
    "js": ("string", _DOCUMENTS),
    "k": ("string", ["red", "red", "blue", None, "green", "blue"]),
}  # fmt: skip

COUNT = 90
TYPES = {"id": "int", **{name: kind for name, (kind, _) in _POOLS.items()}}


def _row(number: int) -> dict[str, Any]:
    values = {name: pool[number % len(pool)] for name, (_, pool) in _POOLS.items()}
    return {"id": number, **values}


FRAME = Frame(TYPES, [_row(number) for number in range(COUNT)])
