"""The command line: which commands there are."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib import import_module
from typing import Annotated

import typer

from lakelogic import __version__
from lakelogic.cli.ending import ended, invoke

# A command is one line here and one file beside this one, `cli/<name>.py`, with a function `command`, or with an `app`
# of several.
COMMANDS: Mapping[str, str] = {
    "run": "Run a contract: read, judge, write and log.",
    "explain": "Show what a run would do, without doing it.",
    "approve": "Let a run publish its rows that waits for it.",
    "ddl": "Print what creates or alters the table of a contract.",
    "runs": "List the runs, look at one, compare two.",
    "metrics": "Numbers about the runs, for Prometheus and Grafana.",
    "run-log": "Ask the run log in SQL.",
    "quarantine": "Look at rows that failed, and decide about them.",
    "serve": "Serve contracts, runs and quarantine: API and pages.",
    "prove": "Write or verify the proof of a run.",
    "export": "Send tables to Snowflake, Databricks or S3.",
    "reset": "Let contracts forget what they have read.",
    "reload": "Empty tables and read everything again.",
    "validate": "Check contracts, and show every problem with its line.",
    "lint": "Say what a reviewer would say about contracts.",
    "diff": "Tell what changed in a contract, and what it breaks.",
    "dag": "Draw contracts, what they read and how they fared.",
    "schema": "Print the JSON Schema of a contract, for editors.",
    "verify-portability": "Compare the engines on made-up rows, cell by cell.",
    "infer": "Write a contract for sample data.",
    "bootstrap": "Write contracts and a registry for a landing zone.",
    "template": "Print an annotated contract with every key.",
    "decrypt": "Decrypt values or columns for those who hold the key.",
    "doctor": "Look whether this machine has what a run needs.",
}


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; the exit code."""
    return ended(arguments, _invoke)


def build_app(asked: str | None) -> typer.Typer:
    """The program with the command that was asked for; the others are only listed, so that none is imported for it."""
    # Plain help: rich doubles the time of `--help`.
    app = typer.Typer(
        help="Data contracts that run.",
        add_completion=False,
        pretty_exceptions_enable=False,
        rich_markup_mode=None,
        context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    )
    app.callback()(_options)
    for name, line in COMMANDS.items():
        if name == asked:
            module = import_module(f"lakelogic.cli.{name.replace('-', '_')}")
            if hasattr(module, "app"):
                app.add_typer(module.app, name=name, help=line)
            else:
                app.command(name)(module.command)
        else:
            app.command(name, help=line)(_listed)
    return app


def _invoke(arguments: list[str]) -> int:
    asked = next((word for word in arguments if not word.startswith("-")), None)
    where = f"lakelogic {asked}" if asked in COMMANDS else "lakelogic"
    return invoke(typer.main.get_command(build_app(asked)), arguments, "lakelogic", where)


def _print_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"lakelogic {__version__}")
        raise typer.Exit


def _options(
    version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version.")
    ] = False,
    debug: Annotated[bool, typer.Option("--debug", help="Show the traceback of an error.")] = False,
) -> None:
    """Data contracts that run."""


def _listed() -> None:
    """Stands for a command that was not asked for."""
