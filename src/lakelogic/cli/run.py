"""`lakelogic run`: a contract from end to end."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from lakelogic.cli import options
from lakelogic.cli.failures import Interrupted
from lakelogic.cli.options import chosen_contract, overrides_of
from lakelogic.cli.output import write_json

if TYPE_CHECKING:
    from rich.console import Console

    from lakelogic.cli.screen.progress import Phases
    from lakelogic.plan.rows import Slice
    from lakelogic.run.looking import SafeRows
    from lakelogic.run.processor import DataProcessor
    from lakelogic.run.result import RunResult

_WRITES = ("writing quarantine", "writing target", "accounting")


@dataclass(frozen=True)
class Asked:
    """What the command line wants of a run."""

    source: str | None
    target: str | None
    force: bool
    rows: int
    part: Slice
    wait: float = 0


def command(
    contract: options.Contract = None,
    source: options.Source = None,
    target: options.Target = None,
    engine: options.Engine = None,
    master: options.Master = None,
    env: options.Environment = None,
    overrides: options.Overrides = None,
    force: Annotated[bool, typer.Option("--force", help="Run again on input that was committed before.")] = False,
    wait: Annotated[
        float, typer.Option("--wait", min=0, metavar="SECONDS", help="How long to wait for a run that is at work.")
    ] = 0,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Plan, show the plan, and write nothing.")] = False,
    show: Annotated[
        int, typer.Option("--show", min=0, metavar="N", help="Show the first N good and quarantined rows.")
    ] = 0,
    reprocess_start_date: options.FromDay = None,
    reprocess_end_date: options.ToDay = None,
    reprocess_column: options.SliceColumn = None,
    reprocess_values: options.SliceValues = None,
    as_json: options.AsJson = False,
    verbose: options.Verbose = False,
    contract_option: options.ContractOption = None,
) -> None:
    """Run a contract: read what is new, judge every row, write good and quarantined rows, log the run."""
    file = chosen_contract(contract, contract_option)
    # The contract is loaded before anything that draws, so that a mistake in it is told at once.
    from lakelogic.contract import load_contract

    loaded = load_contract(file, overrides=overrides_of(overrides), environment=env)

    from lakelogic.cli.screen.progress import Phases
    from lakelogic.plan.rows import Slice
    from lakelogic.run.processor import DataProcessor
    from lakelogic.run.reprocess import asked_slice

    values = [value.strip() for value in (reprocess_values or "").split(",") if value.strip()]
    part = asked_slice(loaded, reprocess_column, reprocess_start_date, reprocess_end_date, values)
    phases = Phases()
    processor = DataProcessor(loaded, engine, master=master, verbose=verbose, progress=phases)
    if dry_run:
        from lakelogic.cli.explain import show_preview

        show_preview(processor, phases, file, source, target, as_json=as_json, verbose=verbose, brief=True, part=part)
        return
    asked = Asked(source, target, force, show, part or Slice(), wait)
    result, rows = _run(processor, phases, asked, verbose=verbose)
    _print(result, rows, phases, file, as_json=as_json, verbose=verbose)
    if result.exit_code:
        raise typer.Exit(result.exit_code)


def _run(processor: DataProcessor, phases: Phases, asked: Asked, *, verbose: bool) -> tuple[RunResult, SafeRows | None]:
    from lakelogic.cli.screen.progress import watched
    from lakelogic.observe.traces import exporting

    console = _logging(verbose)
    try:
        # What Spark says with -v would be drawn over.
        with exporting(), watched(console, phases, draws=not verbose):
            result = processor.run_source(
                asked.source,
                target=asked.target,
                force=asked.force,
                reprocess_from=asked.part.first,
                reprocess_to=asked.part.last,
                reprocess_column=asked.part.column,
                reprocess_values=asked.part.values,
                wait=asked.wait,
            )
            if not asked.rows or result.status == "no_new_data":
                return result, None
            phases("looking at rows")
            return result, result.preview(asked.rows)
    except KeyboardInterrupt:
        raise _interrupted(phases) from None


def _interrupted(phases: Phases) -> Interrupted:
    """Where the run was, and what that means for the tables."""
    at = next(reversed(phases.took), "beginning")
    wrote = any(what in phases.took for what in _WRITES)
    cure = "Run it again: nothing is lost, nothing is written twice." if wrote else "Nothing was written."
    return Interrupted(f"Interrupted while {at}.", cure=cure)


def _logging(verbose: bool) -> Console:
    from lakelogic.cli.logging import log_to
    from lakelogic.cli.screen.consoles import messages

    console = messages()
    log_to(console, verbose=verbose)
    return console


def _print(
    result: RunResult, rows: SafeRows | None, phases: Phases, file: Path, *, as_json: bool, verbose: bool
) -> None:
    if as_json:
        shown = {"rows": {"good": list(rows.good), "bad": list(rows.bad)}} if rows else {}
        write_json({**result.to_dict(), **shown})
        return
    from lakelogic.cli.screen.consoles import output, show
    from lakelogic.cli.screen.next import after_run
    from lakelogic.cli.screen.result import Told, result_view

    console = output()
    told = Told(phases.took, after_run(str(file), result, rows_shown=rows is not None), rows, all_rules=verbose)
    # On a screen the log stands above it.
    gap = [""] if console.is_terminal else []
    show(console, *gap, result_view(result, told, console))
