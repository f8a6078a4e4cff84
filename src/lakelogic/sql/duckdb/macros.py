"""What a connection needs before it runs rendered SQL: macros, and the functions that read JSON."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from importlib.resources import files
from typing import TYPE_CHECKING
from unicodedata import decimal

from lakelogic.sql.duckdb.json_converting import converted
from lakelogic.sql.duckdb.json_reading import list_length, member_names, value_at

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

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
    add("ll_wide_upper", _or_null(str.upper), ["VARCHAR"], "VARCHAR", null_handling=nulls)
    add("ll_wide_lower", _or_null(str.lower), ["VARCHAR"], "VARCHAR", null_handling=nulls)
    add("ll_wide_initcap", _or_null(_initcap), ["VARCHAR"], "VARCHAR", null_handling=nulls)
    add("ll_ascii_digits", _or_null(_ascii_digits), ["VARCHAR"], "VARCHAR", null_handling=nulls)


def _or_null(function: Callable[..., Value]) -> Callable[..., Value]:
    """The function, for values that may be NULL."""

    # DuckDB counts the parameters of the function inside.
    @wraps(function)
    def call(text: str | None, *rest: str) -> Value:
        return None if text is None else function(text, *rest)

    return call


def _initcap(text: str) -> str:
    """Each word, which only blanks end, with a capital."""
    return " ".join(word[:1].title() + word.lower()[len(word[:1].lower()) :] for word in text.split(" "))


def _ascii_digits(text: str) -> str:
    """The text with the digits of every script as 0 to 9."""
    return "".join(str(decimal(char, char)) for char in text)
