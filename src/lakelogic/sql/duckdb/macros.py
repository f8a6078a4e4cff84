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
    from duckdb.func import FunctionNullHandling

    connection.execute("SET TimeZone = 'UTC'")
    for name, function, parameters, result in _FUNCTIONS:
        texts: list[str] = ["VARCHAR"] * parameters
        connection.create_function(name, _or_null(function), texts, result, null_handling=FunctionNullHandling.SPECIAL)
    macros = files("lakelogic.sql.duckdb").joinpath("macros.sql").read_text("utf-8")
    connection.execute(f"BEGIN; {macros}; COMMIT")


def _or_null(function: Callable[..., Value]) -> Callable[..., Value]:
    """The function, for values that may be NULL."""

    @wraps(function)
    def call(text: str | None, *rest: str) -> Value:
        return None if text is None else function(text, *rest)

    return call


def _ascii_digits(text: str) -> str:
    """The text with the digits of every script as 0 to 9."""
    return "".join(str(decimal(char, char)) for char in text)


_FUNCTIONS: tuple[tuple[str, Callable[..., Value], int, str], ...] = (
    ("ll_json_at", value_at, 2, "VARCHAR"),
    ("ll_json_names", member_names, 1, "VARCHAR[]"),
    ("ll_json_length", list_length, 1, "INTEGER"),
    ("ll_from_json", converted, 3, "VARCHAR"),
    ("ll_ascii_digits", _ascii_digits, 1, "VARCHAR"),
)
