"""What a connection needs before it runs rendered SQL: macros, and the functions that read JSON."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial, wraps
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


def prepare(connection: DuckDBPyConnection) -> None:
    """Create the macros and functions, and set what rendered SQL relies on."""
    connection.execute("SET TimeZone = 'UTC'")
    _add_functions(connection)
    macros = files("lakelogic.sql.duckdb").joinpath("macros.sql").read_text("utf-8")
    connection.execute(f"BEGIN; {macros}; COMMIT")


def _add_functions(connection: DuckDBPyConnection) -> None:
    from duckdb.func import FunctionNullHandling

    nulls = FunctionNullHandling.SPECIAL
    add = connection.create_function
    add("ll_json_at", _or_null(value_at), ["VARCHAR", "VARCHAR"], "VARCHAR", null_handling=nulls)
    add("ll_json_names", _or_null(member_names), ["VARCHAR"], "VARCHAR[]", null_handling=nulls)
    add("ll_json_length", _or_null(list_length), ["VARCHAR"], "INTEGER", null_handling=nulls)
    add("ll_from_json", _or_null(converted), ["VARCHAR", "VARCHAR", "VARCHAR"], "VARCHAR", null_handling=nulls)
    add("ll_wide_upper", _or_null(_upper), ["VARCHAR"], "VARCHAR", null_handling=nulls)
    add("ll_wide_lower", _or_null(_lower), ["VARCHAR"], "VARCHAR", null_handling=nulls)
    add("ll_wide_initcap", _or_null(_initcap), ["VARCHAR"], "VARCHAR", null_handling=nulls)
    add("ll_is_zone", _or_null(partial(_is_one_of, _zones(connection))), ["VARCHAR"], "BOOLEAN", null_handling=nulls)
    add("ll_ascii_digits", _or_null(_ascii_digits), ["VARCHAR"], "VARCHAR", null_handling=nulls)


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
