"""`lakelogic decrypt`: encrypted values as plain text again, for those who hold the key."""

from __future__ import annotations

import json
import os
import sys
from base64 import b64encode
from collections.abc import Iterator, Sequence
from typing import Annotated

import typer

from lakelogic.errors import SecretMissing, SourceError, UsageError, did_you_mean
from lakelogic.masks.keys import VARIABLE, Keys, load_keys
from lakelogic.masks.sealed import CannotDecrypt, unseal

Row = dict[str, object]


def command(
    values: Annotated[
        list[str] | None, typer.Argument(help="Encrypted values; without any, the lines of stdin.")
    ] = None,
    table: Annotated[str | None, typer.Option(help="A Delta table by its path: prints its rows as JSON lines.")] = None,
    column: Annotated[
        list[str] | None, typer.Option(help="The encrypted column of the table; may be repeated.")
    ] = None,
    limit: Annotated[int | None, typer.Option(min=1, help="The most rows of the table to print.")] = None,
) -> None:
    """Decrypt values, or a table's columns, with the key in LAKELOGIC_PII_KEY."""
    if table is None and (column or limit):
        raise UsageError("--column and --limit go with --table.", cure="Add --table PATH.")
    if table is not None and (values or not column):
        raise UsageError("--table needs --column, and no values beside it.", cure="Write --table PATH --column NAME.")
    if not os.environ.get(VARIABLE):
        raise SecretMissing(f"{VARIABLE} is not set.", cure="Set it to the key that encrypted the values.")
    keys = load_keys(os.environ)
    if table is not None:
        for number, row in enumerate(read_rows(table, column or [], limit), start=1):
            typer.echo(json.dumps(decrypted_row(row, column or [], keys, number), ensure_ascii=False, default=_as_text))
        return
    for number, value in enumerate(values or _stdin_lines(), start=1):
        typer.echo(_decrypted(value, keys, f"value {number}"))


def decrypted_row(row: Row, columns: Sequence[str], keys: Keys, number: int) -> Row:
    """A row of a table with some columns in plain text; NULL stays NULL.

    Raises:
        CannotDecrypt: says which row and column, never the value.
    """
    plain = {
        name: _decrypted(str(row[name]), keys, f"row {number}, column '{name}'")
        for name in columns
        if row[name] is not None
    }
    return {**row, **plain}


def read_rows(path: str, columns: Sequence[str], limit: int | None) -> Iterator[Row]:
    """The rows of a Delta table, batch by batch.

    Raises:
        SourceError: no such table or column.
    """
    from deltalake import DeltaTable, QueryBuilder
    from deltalake.exceptions import DeltaError
    from pyarrow import RecordBatchReader

    try:
        table = DeltaTable(path)
        known = [field.name for field in table.schema().fields]
        for name in columns:
            if name not in known:
                raise SourceError(f"column '{name}' is not in {path}.", cure=did_you_mean(name, known))
        most = "" if limit is None else f" LIMIT {limit}"
        found = QueryBuilder().register("rows", table).execute(f"SELECT * FROM rows{most}")
        for batch in RecordBatchReader.from_stream(found):
            yield from batch.to_pylist()
    except DeltaError as error:
        reason = str(error).partition("\n")[0]
        raise SourceError(f"{path} can't be read as a Delta table: {reason}", cure="Give the table's folder.") from None


def _decrypted(value: str, keys: Keys, where: str) -> str:
    try:
        return unseal(value, keys)
    except CannotDecrypt as error:
        raise CannotDecrypt(f"{where}: {error.message}", cure=error.cure) from None


def _stdin_lines() -> Iterator[str]:
    if sys.stdin.isatty():
        raise UsageError("there is nothing to decrypt.", cure="Give values, lines on stdin, or --table and --column.")
    return (line for line in sys.stdin if line.strip())


def _as_text(value: object) -> str:
    return b64encode(value).decode() if isinstance(value, bytes) else str(value)
