"""`lakelogic reload`: the tables of contracts anew, from everything that their sources have."""

from __future__ import annotations

from typing import Annotated

import typer

from lakelogic.cli import options
from lakelogic.cli.output import write_json
from lakelogic.cli.reset import Entities, Layer, confirmed
from lakelogic.wording import counted, number

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
    chosen = confirmed(path, layer, env, "EMPTY target and quarantine, and read everything again", yes=yes)
    from lakelogic.run.processor import DataProcessor

    results = []
    for each in chosen:
        processor = DataProcessor(each, engine)
        processor.reset(empty=True, reason=reason)
        results.append(processor.run())
    if as_json:
        write_json({"format": FORMAT, "runs": [result.to_dict() for result in results]})
    else:
        for result in results:
            counts = result.counts
            typer.echo(
                f"{result.contract}: {counted(counts.source, 'row')} read, {number(counts.good)} good,"
                f" {number(counts.quarantined)} bad."
            )
    if code := max(result.exit_code for result in results):
        raise typer.Exit(code)
