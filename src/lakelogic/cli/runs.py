"""`lakelogic runs`: the runs that there were, one of them, or two side by side."""

from __future__ import annotations

from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from lakelogic.cli import options
from lakelogic.cli.output import write_json
from lakelogic.errors import UsageError, did_you_mean

if TYPE_CHECKING:
    from lakelogic.observe.history import History, Wanted

FORMAT = 1

app = typer.Typer(rich_markup_mode=None, invoke_without_command=True)

RunId = Annotated[str, typer.Argument(metavar="RUN", help="A run's id, or how it ends.", show_default=False)]


@app.callback()
def command(
    context: typer.Context,
    contract: Annotated[
        str | None, typer.Option("--contract", "-c", help="Only of this name, or contract file.")
    ] = None,
    layer: Annotated[str | None, typer.Option("--layer", help="Only of this layer.")] = None,
    status: Annotated[str | None, typer.Option("--status", help="Only those that ended so, such as failed.")] = None,
    engine: Annotated[str | None, typer.Option("--engine", help="Only those on this engine.")] = None,
    pipeline: Annotated[str | None, typer.Option("--pipeline", help="Only those of this run of the driver.")] = None,
    since: Annotated[str | None, typer.Option("--since", help="Begun since: 24h, 7d, a date or a time (UTC).")] = None,
    until: Annotated[str | None, typer.Option("--until", help="Begun before; as --since.")] = None,
    limit: Annotated[int, typer.Option("--limit", "-n", min=1, help="The most runs to list.")] = 20,
    project: options.Project = Path(),
    as_json: options.AsJson = False,
) -> None:
    """List the runs, newest first: how they ended, how many rows, how long they took, and why."""
    if context.invoked_subcommand is not None:
        return
    from lakelogic.observe.history import Wanted

    begun = options.moment("--since", since), options.moment("--until", until)
    wanted = Wanted(None, layer, _status(status), engine, pipeline, *begun)
    history, wanted = _chosen(contract, wanted, project)
    found = history.runs(wanted, limit=limit)
    if as_json:
        runs = [asdict(run) for run in found.runs]
        write_json({"format": FORMAT, "log": str(history.folder / "run_log"), "total": found.total, "runs": runs})
        return
    from lakelogic.cli.screen.consoles import output, show
    from lakelogic.cli.screen.runs import runs_view

    console = output()
    filtered = wanted != Wanted()
    show(console, runs_view(found, history.folder, console, filtered=filtered))


@app.command("show")
def show_run(run: RunId, project: options.Project = Path(), as_json: options.AsJson = False) -> None:
    """Show one run: its counts, rules, tables and times."""
    detail = _history(project).run(run)
    if as_json:
        write_json({"format": FORMAT, "run": asdict(detail.run), "report": detail.report})
        return
    from lakelogic.cli.screen.consoles import output, show
    from lakelogic.cli.screen.one_run import run_view

    console = output()
    show(console, run_view(detail, console))


@app.command("compare")
def compare_runs(a: RunId, b: RunId, project: options.Project = Path(), as_json: options.AsJson = False) -> None:
    """Compare two runs: rows, rules, times, plan and columns."""
    from lakelogic.observe.comparing import compare

    history = _history(project)
    compared = compare(history.run(a), history.run(b))
    if as_json:
        write_json({"format": FORMAT, **compared.to_dict()})
        return
    from lakelogic.cli.screen.comparison import comparison_view
    from lakelogic.cli.screen.consoles import output, show

    console = output()
    show(console, comparison_view(compared, console))


def _chosen(contract: str | None, wanted: Wanted, project: Path) -> tuple[History, Wanted]:
    """Where to look, and for which contract: by its name, or by its file, which knows its layer and its project."""
    from lakelogic.observe.history import History

    if contract is not None and Path(contract).suffix in (".yaml", ".yml") and not Path(contract).is_file():
        raise UsageError(f"there is no file {contract}.", cure="Name a contract file, or a contract of the log.")
    if contract is None or not Path(contract).is_file():
        return _history(project), replace(wanted, contract=contract)
    from lakelogic.contract import load_contract

    loaded = load_contract(Path(contract))
    chosen = replace(wanted, contract=loaded.name, layer=wanted.layer or loaded.layer)
    return History(loaded.project.state_dir), chosen


def _history(project: Path) -> History:
    from lakelogic.observe.history import History
    from lakelogic.project import find_project

    return History(find_project(project.resolve()).state_dir)


def _status(asked: str | None) -> str | None:
    from lakelogic.state.runlog import STATUSES

    if asked is not None and asked not in STATUSES:
        raise UsageError(f"--status {asked} is unknown.", cure=did_you_mean(asked, STATUSES))
    return asked
