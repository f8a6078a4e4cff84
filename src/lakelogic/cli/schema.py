"""`lakelogic schema`: the contract's JSON Schema, for editors."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from lakelogic.cli.output import write_text
from lakelogic.contract.schema import contract_schema


def command(
    output: Annotated[Path | None, typer.Option("--output", "-o", help="File to write; stdout when absent.")] = None,
) -> None:
    """Print the JSON Schema (draft-07) of a contract, for completion and checks in editors."""
    write_text(json.dumps(contract_schema(), indent=2, ensure_ascii=False) + "\n", output)
