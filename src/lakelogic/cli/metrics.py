"""`lakelogic metrics`: numbers about the runs, for Prometheus and Grafana."""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path
from threading import Event
from typing import Annotated

import typer

from lakelogic.cli import options
from lakelogic.cli.ending import terminable
from lakelogic.cli.output import write_text
from lakelogic.errors import UsageError

app = typer.Typer(rich_markup_mode=None, no_args_is_help=True)


@app.callback()
def command() -> None:
    """Numbers about the runs, for Prometheus and Grafana."""


@app.command("serve")
def serve(
    host: Annotated[str, typer.Option("--host", help="Where the page is served.")] = "127.0.0.1",
    port: Annotated[int, typer.Option("--port", min=0, max=65535, help="At which port; 0 is any.")] = 9100,
    project: options.Project = Path(),
) -> None:
    """Serve numbers over the run log at /metrics, until it is stopped."""
    from lakelogic.observe.log_metrics import registry_of
    from lakelogic.observe.metrics_page import MetricsPage
    from lakelogic.project import find_project

    folder = find_project(project.resolve()).state_dir
    page = MetricsPage(registry_of(folder), host, port)
    try:
        page.open()
    except OSError as error:
        raise UsageError(
            f"metrics can't be served at {host}:{port}: {error.strerror}.", cure="Choose another --port or --host."
        ) from None
    typer.echo(f"Metrics over {folder / 'run_log'} are at {page.address}; Ctrl-C ends it.", err=True)
    try:
        with terminable():
            Event().wait()
    except KeyboardInterrupt:
        # It is how a server ends.
        return
    finally:
        page.close()


@app.command("dashboard")
def dashboard(
    output: Annotated[Path | None, typer.Option("--output", "-o", help="A new file; else it is printed.")] = None,
) -> None:
    """Print a dashboard for Grafana, as JSON to import."""
    write_text(files("lakelogic.observe").joinpath("grafana/dashboard.json").read_text(encoding="utf-8"), output)
