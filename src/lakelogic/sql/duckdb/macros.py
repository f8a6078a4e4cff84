"""SQL macros that a connection needs before it runs rendered SQL."""

from __future__ import annotations

from importlib.resources import files
from typing import Protocol


class Connection(Protocol):
    """What is asked of a DuckDB connection."""

    def execute(self, query: str) -> object: ...


def prepare(connection: Connection) -> None:
    """Create the macros, and set what rendered SQL relies on."""
    connection.execute("SET TimeZone = 'UTC'")
    connection.execute(files("lakelogic.sql.duckdb").joinpath("macros.sql").read_text("utf-8"))
