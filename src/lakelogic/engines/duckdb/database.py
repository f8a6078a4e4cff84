"""A database file of DuckDB, opened for what is not a run: summaries of pipelines, questions about the run log."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from lakelogic.errors import LakeLogicError

if TYPE_CHECKING:
    import duckdb
    import pyarrow as pa


class DatabaseError(LakeLogicError):
    """A database can't be opened, or does not take what it is told."""

    code = "database"


@contextmanager
def opened(path: str, *, patience_seconds: float = 0.0) -> Iterator[duckdb.DuckDBPyConnection]:
    """A connection that is closed at the end; what is not committed by then is undone.

    Raises:
        DatabaseError: the file is no database, can't be written, or another process has it for too long.
    """
    import duckdb
    from tenacity import Retrying, retry_if_exception_message, stop_after_delay, wait_random

    # That another process has the file is told by the text alone.
    again = Retrying(
        retry=retry_if_exception_message(match=".*Could not set lock"),
        stop=stop_after_delay(patience_seconds),
        wait=wait_random(0.05, 0.3),
        reraise=True,
    )
    try:
        with again(duckdb.connect, path) as connection:
            yield connection
    except duckdb.Error as error:
        raise DatabaseError(str(error)) from None


def answer(question: str, **tables: pa.Table) -> pa.Table:
    """What a SELECT over tables in memory gives; it can reach nothing else, and change nothing.

    Raises:
        DatabaseError: it is not one SELECT, or is wrong.
    """
    import duckdb

    settings: dict[str, str | bool | int | float | list[str]] = {
        "enable_external_access": False,
        "python_enable_replacements": False,
        "autoinstall_known_extensions": False,
        "autoload_known_extensions": False,
    }
    try:
        with duckdb.connect(":memory:", config=settings) as connection:
            connection.execute("SET TimeZone = 'UTC'")
            for name, table in tables.items():
                connection.register(name, table)
            statements = connection.extract_statements(question)
            if [statement.type for statement in statements] != [duckdb.StatementType.SELECT]:
                raise DatabaseError("it is not one SELECT.")
            found = connection.sql(question).to_arrow_table()
    except duckdb.Error as error:
        raise DatabaseError(str(error)) from None
    if twice := [name for name in found.column_names if found.column_names.count(name) > 1]:
        raise DatabaseError(f"column '{twice[0]}' is there twice; name one of them with AS.")
    return found
