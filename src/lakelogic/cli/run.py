"""`lakelogic run`: a contract from end to end."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from lakelogic.cli import options
from lakelogic.cli.options import chosen_contract, overrides_of

if TYPE_CHECKING:
    from rich.console import Console

    from lakelogic.cli.screen.progress import Phases
    from lakelogic.run.processor import DataProcessor
    from lakelogic.run.result import RunResult

INTERRUPTED = 130
_WRITES = ("writing quarantine", "writing target", "accounting")


def command(
    contract: options.Contract = None,
    source: options.Source = None,
    target: options.Target = None,
    engine: options.Engine = None,
    master: options.Master = None,
    env: options.Environment = None,
    overrides: options.Overrides = None,
    force: Annotated[bool, typer.Option("--force", help="Run again on input that was committed before.")] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Plan, show the plan, and write nothing.")] = False,
    show: Annotated[
        int, typer.Option("--show", min=0, metavar="N", help="Show the first N good and quarantined rows.")
    ] = 0,
    as_json: options.AsJson = False,
    verbose: options.Verbose = False,
    contract_option: options.ContractOption = None,
) -> None:
    """Run a contract: read what is new, judge every row, write good and quarantined rows, log the run."""
    file = chosen_contract(contract, contract_option)
    # The contract is loaded before anything that draws, so that a mistake in it is told at once.
    from lakelogic.contract import load_contract
    from lakelogic.run.begin import require_supported

    loaded = load_contract(file, overrides=overrides_of(overrides), environment=env)
    require_supported(loaded)

    from lakelogic.cli.screen.progress import Phases
    from lakelogic.run.processor import DataProcessor

    phases = Phases()
    processor = DataProcessor(loaded, engine, master=master, verbose=verbose, progress=phases)
    if dry_run:
        from lakelogic.cli.explain import show_preview

        show_preview(processor, phases, file, source, target, as_json=as_json, verbose=verbose, brief=True)
        return
    result = _run(processor, phases, source, target, force=force, verbose=verbose)
    _print(result, phases, file, show, as_json=as_json, verbose=verbose)
    if result.exit_code:
        raise typer.Exit(result.exit_code)


def _run(
    processor: DataProcessor, phases: Phases, source: str | None, target: str | None, *, force: bool, verbose: bool
) -> RunResult:
    from lakelogic.cli.screen.progress import watched

    console = _logging(verbose)
    try:
        # What Spark says with -v would be drawn over.
        with watched(console, phases, draws=not verbose):
            return processor.run_source(source, target=target, force=force)
    except KeyboardInterrupt:
        typer.echo(_interrupted(phases), err=True)
        raise typer.Exit(INTERRUPTED) from None


def _interrupted(phases: Phases) -> str:
    """One line: where the run was, and what that means for the tables."""
    at = next(reversed(phases.took), "beginning")
    if any(what in phases.took for what in _WRITES):
        return f"Interrupted while {at}. Run it again: what was written is kept, and nothing is written twice."
    return f"Interrupted while {at}. Nothing was written."


def _logging(verbose: bool) -> Console:
    from lakelogic.cli.logging import log_to
    from lakelogic.cli.screen.consoles import messages

    console = messages()
    log_to(console, verbose=verbose)
    return console


def _print(result: RunResult, phases: Phases, file: Path, limit: int, *, as_json: bool, verbose: bool) -> None:
    rows = result.preview(limit) if limit else None
    if as_json:
        shown = {"rows": {"good": list(rows.good), "bad": list(rows.bad)}} if rows else {}
        typer.echo(json.dumps({**result.to_dict(), **shown}, indent=2, ensure_ascii=False, default=str))
        return
    from lakelogic.cli.screen.consoles import output, show
    from lakelogic.cli.screen.next import after_run
    from lakelogic.cli.screen.result import Told, result_view

    console = output()
    told = Told(phases.took, after_run(str(file), result, rows_shown=rows is not None), rows, all_rules=verbose)
    show(console, result_view(result, told, console))
