"""`lakelogic template`: a contract with every key, to start from."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from lakelogic.cli.output import write_text
from lakelogic.contract.template import contract_template


def command(
    output: Annotated[Path | None, typer.Option("--output", "-o", help="File to write; stdout when absent.")] = None,
) -> None:
    """Print an annotated contract with every key, its default and its allowed values."""
    write_text(contract_template(), output)
