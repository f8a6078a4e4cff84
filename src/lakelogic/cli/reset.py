"""`lakelogic reset`: let contracts forget what they have read."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from lakelogic.cli import options
from lakelogic.cli.output import write_json

if TYPE_CHECKING:
    from lakelogic.contract import LoadedContract

FORMAT = 1

Entities = Annotated[Path, typer.Argument(help="A contract file, or a folder of them.", show_default=False)]
Layer = Annotated[str | None, typer.Option("--layer", help="Only contracts of this layer.")]


def command(
    path: Entities,
    layer: Layer = None,
    empty: Annotated[bool, typer.Option("--empty", help="Take all rows out of target and quarantine, too.")] = False,
    reason: Annotated[str, typer.Option("--reason", help="Why; kept in the run log.")] = "reset",
    yes: options.Yes = False,
    engine: options.Engine = None,
    env: options.Environment = None,
    as_json: options.AsJson = False,
) -> None:
    """Forget what contracts have read, so that the next run reads everything; the run log keeps its rows."""
    what = "forget what was read, and EMPTY target and quarantine" if empty else "forget what was read"
    chosen = confirmed(path, layer, env, what, yes=yes)
    from lakelogic.run.processor import DataProcessor

    done = [DataProcessor(each, engine).reset(empty=empty, reason=reason) for each in chosen]
    if as_json:
        write_json({"format": FORMAT, "reset": [result.to_dict() for result in done]})
        return
    for result in done:
        emptied = [table.location for table in (result.target, result.quarantine) if table is not None]
        told = f" Emptied: {', '.join(emptied)}." if emptied else " The tables keep their rows." if not empty else ""
        typer.echo(
            f"{result.contract} has forgotten what it read: number {result.sequence}, run {result.run_id}.{told}"
        )


def confirmed(path: Path, layer: str | None, env: str | None, what: str, *, yes: bool) -> Sequence[LoadedContract]:
    """The contracts that are meant, once somebody has agreed."""
    from lakelogic.driver.entities import entities

    chosen = entities(path, layer, env)
    options.confirm(f"{', '.join(each.name for each in chosen)}: {what}?", yes)
    return chosen
