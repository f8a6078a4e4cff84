"""Where a command's text goes: a new file, or stdout."""

from __future__ import annotations

from pathlib import Path

import typer

from lakelogic.errors import UsageError


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
