"""What a connection needs before it runs rendered SQL: macros, and the functions that read JSON."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from functools import cache, partial, wraps
from importlib.resources import files
from typing import TYPE_CHECKING
from unicodedata import decimal

from lakelogic.sql.duckdb.json_converting import converted
from lakelogic.sql.duckdb.json_reading import list_length, member_names, value_at

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

# Letters of Unicode 16, which Spark's tables have and Python's will.
_NEW_CAPITALS = {0x19B: 0xA7DC, 0x264: 0xA7CB, 0x1C8A: 0x1C89, 0xA7CD: 0xA7CC, 0xA7DB: 0xA7DA}
_NEW_CAPITALS |= {small: small - 0x20 for small in range(0x10D70, 0x10D86)}
_NEW_SMALL = {capital: small for small, capital in _NEW_CAPITALS.items()}
Value = str | int | list[str] | None

_CALL = re.compile(r"\b(ll_\w+)\(")
_MACRO = re.compile(r"^CREATE OR REPLACE MACRO (ll_\w+)\(.*", re.MULTILINE)


class Macros:
    """The macros and functions that rendered SQL calls, in a connection that gets each of them when it is first used."""

    def __init__(self, connection: DuckDBPyConnection) -> None:
        """Also sets the time zone that rendered SQL relies on."""
        connection.execute("SET TimeZone = 'UTC'")
        self._connection = connection
        self._there: set[str] = set()

    def provide(self, sql: str) -> str:
        """The same SQL, when all that it uses is there."""
        if missing := list(self._missing(sql)):
            # All at once: one by one, each would cost as much as a small query.
            self._connection.execute("\n".join(missing))
        return sql

    def _missing(self, sql: str) -> Iterator[str]:
        """What creates the macros that SQL calls, after those that they call themselves; functions are there at once."""
        for name in _CALL.findall(sql):
            if name in self._there:
                continue
            self._there.add(name)
            if name in _FUNCTIONS or name == _IS_ZONE:
                self._add_function(name)
            elif macro := _statements().get(name):
                yield from self._missing(macro)
                yield macro

    def _add_function(self, name: str) -> None:
        from duckdb.func import FunctionNullHandling

        is_zone = partial(_is_one_of, _zones(self._connection)) if name == _IS_ZONE else None
        function, takes, gives = (is_zone, 1, "BOOLEAN") if is_zone else _FUNCTIONS[name]
        texts, nulls = ["VARCHAR"] * takes, FunctionNullHandling.SPECIAL
        self._connection.create_function(name, _or_null(function), [*texts], gives, null_handling=nulls)


@cache
def _statements() -> Mapping[str, str]:
    """The statement that creates each macro."""
    text = files("lakelogic.sql.duckdb").joinpath("macros.sql").read_text("utf-8")
    return {found[1]: found[0] for found in _MACRO.finditer(text)}


def _zones(connection: DuckDBPyConnection) -> frozenset[str]:
    """The time zones that DuckDB knows. It raises for any other, even within TRY."""
    return frozenset(name for (name,) in connection.execute("SELECT name FROM pg_timezone_names()").fetchall())


def _is_one_of(known: frozenset[str], text: str) -> bool:
    return text in known


def _or_null(function: Callable[..., Value]) -> Callable[..., Value]:
    """The function, for values that may be NULL."""

    # DuckDB counts the parameters of the function inside.
    @wraps(function)
    def call(text: str | None, *rest: str) -> Value:
        return None if text is None else function(text, *rest)

    return call


def _upper(text: str) -> str:
    return text.translate(_NEW_CAPITALS).upper()


def _lower(text: str) -> str:
    return text.lower().translate(_NEW_SMALL)


def _initcap(text: str) -> str:
    """Each word, which only blanks end, with a capital."""
    return " ".join(_capital(word[:1]) + _lower(word)[len(_lower(word[:1])) :] for word in text.split(" "))


def _capital(char: str) -> str:
    return char.translate(_NEW_CAPITALS).title()


def _ascii_digits(text: str) -> str:
    """The text with the digits of every script as 0 to 9."""
    return "".join(str(decimal(char, char)) for char in text)


_IS_ZONE = "ll_is_zone"
# What computes them, how many texts they take, and what they give.
_FUNCTIONS: Mapping[str, tuple[Callable[..., Value], int, str]] = {
    "ll_json_at": (value_at, 2, "VARCHAR"),
    "ll_json_names": (member_names, 1, "VARCHAR[]"),
    "ll_json_length": (list_length, 1, "INTEGER"),
    "ll_from_json": (converted, 3, "VARCHAR"),
    "ll_wide_upper": (_upper, 1, "VARCHAR"),
    "ll_wide_lower": (_lower, 1, "VARCHAR"),
    "ll_wide_initcap": (_initcap, 1, "VARCHAR"),
    "ll_ascii_digits": (_ascii_digits, 1, "VARCHAR"),
}
