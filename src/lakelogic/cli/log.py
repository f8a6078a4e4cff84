"""`lakelogic log`: the runs that there were."""

from __future__ import annotations

import json
from datetime import datetime
from pathlib import Path
from typing import Annotated, Any

import typer

from lakelogic.cli.options import AsJson

FORMAT = 1
# Everything but the report, which is a whole result for each run.
_COLUMNS = (
    "run_id pipeline_run_id sequence attempt contract contract_file contract_version layer domain system environment "
    "engine plan mode reason status error started_at ended_at duration_seconds source input_files watermark "
    "counts_source counts_expanded counts_good counts_quarantined counts_filtered counts_deduplicated "
    "quarantine_ratio quality_score target target_version quarantine quarantine_version "
    "rules dataset_rules service_levels"
).split()


def command(
    contract: Annotated[
        Path | None, typer.Argument(help="A contract file: only its runs. Else all runs of the project here.")
    ] = None,
    limit: Annotated[int, typer.Option("--limit", "-n", min=1, help="The most runs to show, the newest ones.")] = 20,
    as_json: AsJson = False,
) -> None:
    """List the runs: when, how they ended, how many rows, how long they took, and why."""
    folder, chosen = _where(contract)
    runs = _runs(folder, chosen)
    if as_json:
        shown = {"format": FORMAT, "log": str(folder / "run_log"), "runs": runs[-limit:]}
        typer.echo(json.dumps(shown, indent=2, ensure_ascii=False, default=_plain))
        return
    from lakelogic.cli.screen.consoles import output, show
    from lakelogic.cli.screen.log import runs_view

    console = output()
    show(console, runs_view(runs[-limit:], len(runs), folder, console))


def _where(contract: Path | None) -> tuple[Path, dict[str, str | None]]:
    """The state folder, and the values that the runs to show have in common."""
    from lakelogic.project import find_project

    if contract is None:
        return find_project(Path.cwd()).state_dir, {}
    if contract.is_dir():
        return find_project(contract).state_dir, {}
    from lakelogic.contract import load_contract

    loaded = load_contract(contract)
    return loaded.project.state_dir, {"contract": loaded.name, "layer": loaded.layer}


def _runs(folder: Path, chosen: dict[str, str | None]) -> list[dict[str, Any]]:
    from lakelogic.state.runlog import RunLog

    equal = {name: value for name, value in chosen.items() if value is not None}
    return RunLog(folder).rows(_COLUMNS, **equal)


def _plain(value: object) -> str:
    return value.isoformat() if isinstance(value, datetime) else str(value)
