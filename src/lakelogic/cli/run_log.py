"""`lakelogic run-log`: questions to the run log."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from lakelogic.cli import options
from lakelogic.cli.output import plain, write_json
from lakelogic.errors import UsageError

if TYPE_CHECKING:
    import pyarrow as pa

FORMAT = 1

app = typer.Typer(rich_markup_mode=None, no_args_is_help=True)


@app.callback()
def command() -> None:
    """Ask the run log in SQL."""


@app.command("query")
def query(
    sql: Annotated[
        str, typer.Argument(help="A SELECT over run_log or export_log, in DuckDB's SQL.", show_default=False)
    ],
    project: options.Project = Path(),
    as_json: options.AsJson = False,
) -> None:
    """Ask the logs: one SELECT over the tables run_log and export_log. It reads, and can't change anything."""
    found = _answer(sql, project)
    rows = found.to_pylist()
    if as_json:
        shown = {"format": FORMAT, "columns": found.column_names, "rows": rows}
        write_json(shown, default=_plain)
        return
    from lakelogic.cli.screen.consoles import output, show
    from lakelogic.cli.screen.rows import table_view

    console = output()
    show(console, table_view(rows, console))


def _answer(sql: str, project: Path) -> pa.Table:
    from lakelogic.engines.duckdb.database import DatabaseError, answer
    from lakelogic.project import find_project
    from lakelogic.state.exportlog import ExportLog
    from lakelogic.state.runlog import RunLog

    state = find_project(project.resolve()).state_dir
    try:
        return answer(sql, run_log=RunLog(state).arrow(), export_log=ExportLog(state).arrow())
    except DatabaseError as error:
        cure = '`lakelogic run-log query "DESCRIBE run_log"` lists the columns.'
        raise UsageError(f"the query can't be answered: {error}", cure=cure) from None


def _plain(value: object) -> object:
    if isinstance(value, Decimal):
        return int(value) if value == value.to_integral_value() else float(value)
    return plain(value)
