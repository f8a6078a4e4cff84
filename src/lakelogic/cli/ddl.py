"""`lakelogic ddl`: what creates or alters the table of a contract."""

from __future__ import annotations

from typing import Annotated

import typer

from lakelogic.cli import options
from lakelogic.cli.options import chosen_contract, overrides_of
from lakelogic.cli.output import write_json


def command(
    contract: options.Contract = None,
    apply: Annotated[bool, typer.Option("--apply", help="Create or alter the table now.")] = False,
    source: options.Source = None,
    target: options.Target = None,
    engine: options.Engine = None,
    master: options.Master = None,
    env: options.Environment = None,
    overrides: options.Overrides = None,
    as_json: options.AsJson = False,
    verbose: options.Verbose = False,
    contract_option: options.ContractOption = None,
) -> None:
    """Print CREATE TABLE or ALTER TABLE, in Spark SQL, for what differs from the contract. No rows are written."""
    file = chosen_contract(contract, contract_option)
    from lakelogic.contract import load_contract

    loaded = load_contract(file, overrides=overrides_of(overrides), environment=env)

    from lakelogic.cli.logging import log_to
    from lakelogic.cli.screen.consoles import messages
    from lakelogic.cli.screen.progress import Phases, watched
    from lakelogic.run.processor import DataProcessor

    phases, errors = Phases(), messages()
    log_to(errors, verbose=verbose)
    processor = DataProcessor(loaded, engine, master=master, verbose=verbose, progress=phases)
    with watched(errors, phases, draws=not verbose):
        found = processor.define(source=source, target=target, apply=apply)
    if as_json:
        write_json(found.to_dict())
        return
    for statement in found.statements:
        typer.echo(f"{statement};")
    for note in found.notes:
        typer.echo(f"-- {note}")
    if not found.statements:
        typer.echo(f"-- {found.location} is as the contract says.")
    elif found.applied:
        typer.echo(f"-- Applied to {found.location}.")
