"""The command line: which commands there are, and how they end."""

from __future__ import annotations

import logging
import os
import sys
import traceback
from collections.abc import Mapping, Sequence
from functools import partial
from importlib import import_module
from types import TracebackType
from typing import Annotated

import typer

from lakelogic import __version__
from lakelogic.cli.failures import as_json, as_text, unexpected
from lakelogic.errors import LakeLogicError, UsageError

# A command is one line here and one file beside this one, `cli/<name>.py`, with a function `command`.
COMMANDS: Mapping[str, str] = {
    "run": "Run a contract: read, judge, write and log.",
    "explain": "Show what a run would do, without doing it.",
    "log": "List the runs that there were.",
    "validate": "Check contracts, and show every problem with its line.",
    "lint": "Say what a reviewer would say about contracts.",
    "schema": "Print the JSON Schema of a contract, for editors.",
    "verify-portability": "Compare the engines on made-up rows, cell by cell.",
    "template": "Print an annotated contract with every key.",
    "decrypt": "Decrypt values or columns for those who hold the key.",
    "doctor": "Look whether this machine has what a run needs.",
}

INTERRUPTED = 130
BROKEN_PIPE = 141


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; the exit code."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    debug, json = "--debug" in given, "--json" in given
    if arguments is None:
        _own_the_process(debug, json)
    try:
        return _invoke([word for word in given if word != "--debug"] or ["--help"])
    except LakeLogicError as error:
        if debug:
            traceback.print_exc()
        return _tell(error, json)
    except typer.Abort:
        return INTERRUPTED
    except BrokenPipeError:
        # The reader has gone (`| head`); Python would complain once more when it flushes at the end.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return BROKEN_PIPE


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
            app.command(name)(import_module(f"lakelogic.cli.{name.replace('-', '_')}").command)
        else:
            app.command(name, help=line)(_listed)
    return app


def _own_the_process(debug: bool, json: bool) -> None:
    # Libraries that log in the standard way would otherwise write to the terminal: PySpark does so at Ctrl-C.
    logging.getLogger().addHandler(logging.NullHandler())
    if not debug:
        sys.excepthook = partial(_tell_defect, json)


def _invoke(arguments: list[str]) -> int:
    asked = next((word for word in arguments if not word.startswith("-")), None)
    program = typer.main.get_command(build_app(asked))
    try:
        code = program.main(arguments, prog_name="lakelogic", standalone_mode=False)
    except typer.TyperException as error:
        where = f"lakelogic {asked}" if asked in COMMANDS else "lakelogic"
        raise UsageError(error.format_message(), cure=f"`{where} --help` shows what it accepts.") from None
    if code == INTERRUPTED:
        typer.echo("interrupted", err=True)
    sys.stdout.flush()
    return code if isinstance(code, int) else 0


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


def _tell(error: LakeLogicError, json: bool) -> int:
    typer.echo(as_json(error) if json else as_text(error), err=not json)
    return error.exit_code


def _tell_defect(json: bool, _kind: type[BaseException], error: BaseException, _trace: TracebackType | None) -> None:
    _tell(unexpected(error), json)
