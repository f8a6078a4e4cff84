"""Where a command's result goes: a new file, or stdout; for programs as JSON."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from datetime import datetime
from pathlib import Path

import typer

from lakelogic.errors import UsageError


def plain(value: object) -> object:
    """A value that JSON has no word for, as text."""
    return value.isoformat() if isinstance(value, datetime) else str(value)


def write_json(data: Mapping[str, object], *, default: Callable[[object], object] = plain) -> None:
    """Prints a result for programs."""
    typer.echo(json.dumps(data, indent=2, ensure_ascii=False, default=default))


def write_text(text: str, output: Path | None, *, anew: bool = False) -> None:
    """Writes a text to a file that does not exist yet, or prints it; what can be made `anew` takes the file's place.

    Raises:
        UsageError: the file exists, or can't be written.
    """
    if output is None:
        typer.echo(text, nl=False)
        return
    try:
        with output.open("w" if anew else "x", encoding="utf-8") as file:
            file.write(text)
    except FileExistsError:
        raise UsageError(f"file '{output}' exists.", cure="Remove it, or name another.") from None
    except OSError as error:
        raise UsageError(f"file '{output}' can't be written: {error.strerror}.") from None
    typer.echo(f"Wrote {output}", err=True)
