"""`lakelogic explain`: what a run would do, without doing it."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from lakelogic.cli import options
from lakelogic.cli.options import chosen_contract, overrides_of
from lakelogic.cli.output import write_json

if TYPE_CHECKING:
    from lakelogic.cli.screen.progress import Phases
    from lakelogic.contract import LoadedContract
    from lakelogic.plan.rows import Slice
    from lakelogic.run.processor import DataProcessor

FORMAT = 1


def command(
    contract: options.Contract = None,
    source: options.Source = None,
    target: options.Target = None,
    engine: options.Engine = None,
    master: options.Master = None,
    env: options.Environment = None,
    overrides: options.Overrides = None,
    sql: Annotated[bool, typer.Option("--sql", help="Print only the SQL, in the order in which it runs.")] = False,
    origins: Annotated[bool, typer.Option("--origins", help="Tell which file and line set each value.")] = False,
    as_json: options.AsJson = False,
    verbose: options.Verbose = False,
    contract_option: options.ContractOption = None,
) -> None:
    """Show what a run would read and why, its steps, rules, SQL, passes and writes. Nothing is written."""
    file = chosen_contract(contract, contract_option)
    from lakelogic.contract import load_contract

    loaded = load_contract(file, overrides=overrides_of(overrides), environment=env)
    if origins:
        _show_origins(loaded, as_json=as_json)
        return

    from lakelogic.cli.screen.progress import Phases
    from lakelogic.run.processor import DataProcessor

    phases = Phases()
    processor = DataProcessor(loaded, engine, master=master, verbose=verbose, progress=phases)
    show_preview(processor, phases, file, source, target, as_json=as_json, verbose=verbose, sql_only=sql)


def _show_origins(loaded: LoadedContract, *, as_json: bool) -> None:
    from lakelogic.contract.origins import origins

    told = origins(loaded)
    if as_json:
        values = [{**asdict(each), "place": str(each.place)} for each in told]
        write_json({"format": FORMAT, "contract": loaded.name, "values": values})
        return
    from lakelogic.cli.screen.consoles import output, show
    from lakelogic.cli.screen.origins import origins_view

    console = output()
    show(console, origins_view(told, loaded.name))


def show_preview(
    processor: DataProcessor,
    phases: Phases,
    file: Path,
    source: str | None,
    target: str | None,
    *,
    as_json: bool,
    verbose: bool,
    brief: bool = False,
    sql_only: bool = False,
    part: Slice | None = None,
) -> None:
    """Plan a run and print the plan: all of it, the short form, or only its SQL."""
    from lakelogic.cli.logging import log_to
    from lakelogic.cli.screen.consoles import messages, output, show
    from lakelogic.cli.screen.explain import brief_view, preview_view, sql_text
    from lakelogic.cli.screen.progress import watched

    errors = messages()
    log_to(errors, verbose=verbose)
    with watched(errors, phases, draws=not verbose):
        preview = processor.preview(source=source, target=target, part=part)
    console = output()
    if as_json:
        planned = {"status": "planned"} if brief else {}
        write_json({**preview.to_dict(), **planned})
    elif sql_only:
        show(console, sql_text(preview.plan, console))
    else:
        view = brief_view if brief else preview_view
        show(console, view(preview, str(file), console))
