"""`lakelogic reload`: the tables of contracts anew, from everything that their sources have."""

from __future__ import annotations

import json
from typing import Annotated

import typer

from lakelogic.cli import options
from lakelogic.cli.reset import Entities, Layer

FORMAT = 1


def command(
    path: Entities,
    layer: Layer = None,
    reason: Annotated[str, typer.Option("--reason", help="Why; kept in the run log.")] = "reload",
    yes: options.Yes = False,
    engine: options.Engine = None,
    env: options.Environment = None,
    as_json: options.AsJson = False,
) -> None:
    """Empty the tables of contracts and read everything again; the run log keeps its rows."""
    from lakelogic.run.entities import entities
    from lakelogic.run.processor import DataProcessor

    chosen = entities(path, layer, env)
    names = ", ".join(each.name for each in chosen)
    options.confirm(f"{names}: EMPTY target and quarantine, and read everything again?", yes)
    results = []
    for each in chosen:
        processor = DataProcessor(each, engine)
        processor.reset(empty=True, reason=reason)
        results.append(processor.run())
    if as_json:
        typer.echo(json.dumps({"format": FORMAT, "runs": [result.to_dict() for result in results]}, indent=2))
    else:
        for result in results:
            counts = result.counts
            typer.echo(f"{result.contract}: {counts.source} rows read, {counts.good} good, {counts.quarantined} bad.")
    if code := max(result.exit_code for result in results):
        raise typer.Exit(code)
