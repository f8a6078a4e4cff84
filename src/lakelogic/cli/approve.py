"""`lakelogic approve`: let a run publish its rows that waits for it."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from lakelogic.errors import UsageError

if TYPE_CHECKING:
    from lakelogic.run.approval import Pending


def command(
    run_id: Annotated[str, typer.Argument(help="The run that waits.")],
    reason: Annotated[str, typer.Option("--reason", help="Why its rows may be published.")],
    by: Annotated[str | None, typer.Option("--by", help="Who approves; you, when absent.")] = None,
    file: Annotated[
        Path | None, typer.Option("--file", help="The approval file; the one that the run has asked for, when absent.")
    ] = None,
) -> None:
    """Approve a run that waits: its next attempt publishes the same input under the same plan, and nothing else."""
    if not reason.strip():
        raise UsageError("an approval needs a reason.", cure="Say why with --reason.")
    from lakelogic.run.approval import approve

    pending = _pending(run_id)
    path = approve(pending, why=reason, file=file.absolute() if file else None, by=by)
    typer.echo(f"Approved run {run_id} of '{pending.contract}' in {path}: {'; '.join(pending.reasons)}")


def _pending(run_id: str) -> Pending:
    """The run, in the state of this project or of one below."""
    from lakelogic.project import STATE_FOLDER, find_project
    from lakelogic.run.approval import FOLDER, find_pending

    here = Path.cwd()
    for folder, inside, _ in os.walk(here):
        inside[:] = [name for name in inside if not name.startswith(".")]
        if (Path(folder) / STATE_FOLDER / FOLDER / f"{run_id}.json").is_file():
            return find_pending(run_id, Path(folder) / STATE_FOLDER)
    return find_pending(run_id, find_project(here).state_dir)
