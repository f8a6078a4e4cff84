"""How a program of ours ends: its exit code, and what is said about an error."""

from __future__ import annotations

import atexit
import gc
import logging
import os
import signal
import sys
import traceback
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from types import FrameType, TracebackType
from typing import Any, Protocol

import typer

from lakelogic.cli.failures import as_json, as_text, unexpected
from lakelogic.errors import LakeLogicError, UsageError

INTERRUPTED = 130
BROKEN_PIPE = 141
# Modules and models stay: looking for garbage among them every 700 objects is a tenth of what a short command does.
_NEW_OBJECTS = 100_000


class Program(Protocol):
    """A command line that was put together."""

    def main(self, args: list[str], prog_name: str, *, standalone_mode: bool) -> Any: ...


def ended(arguments: Sequence[str] | None, act: Callable[[list[str]], int]) -> int:
    """Run a program with its arguments, or with those of the process; the exit code."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    debug, json = "--debug" in given, "--json" in given
    if arguments is not None:
        return _code_of(act, given, debug=debug, json=json)
    leaving = _own_the_process(debug, json)
    leaving.code = _code_of(act, given, debug=debug, json=json)
    return leaving.code


def _code_of(act: Callable[[list[str]], int], given: list[str], *, debug: bool, json: bool) -> int:
    try:
        return act([word for word in given if word != "--debug"] or ["--help"])
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


def invoke(program: Program, arguments: list[str], name: str, where: str) -> int:
    """Let typer run a program; a mistake in its arguments is told with where help is found."""
    try:
        code = program.main(arguments, prog_name=name, standalone_mode=False)
    except typer.TyperException as error:
        message = error.format_message()
        group = getattr(getattr(error, "ctx", None), "command", None)
        # The program itself has too many to list, and names the nearest.
        listed = where != name and message.startswith("No such command")
        known = f"Known: {', '.join(sorted(getattr(group, 'commands', ())))}. " if listed else ""
        raise UsageError(message, cure=f"{known}`{where} --help` shows what it accepts.") from None
    if code == INTERRUPTED:
        typer.echo("interrupted", err=True)
    sys.stdout.flush()
    return code if isinstance(code, int) else 0


@contextmanager
def terminable() -> Iterator[None]:
    """Inside, SIGTERM does what Ctrl-C does: what is at work is stopped, and told."""

    def interrupt(_number: int, _frame: FrameType | None) -> None:
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGTERM, interrupt)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


class _Leaving:
    """Ends the process, when all else that was to be done at its end has been done."""

    code: int | None = None

    def __call__(self) -> None:
        if self.code is not None:
            sys.stdout.flush()
            sys.stderr.flush()
            # Else Python takes every module and model apart first, which is a seventh of what a short command does.
            os._exit(self.code)


def _own_the_process(debug: bool, json: bool) -> _Leaving:
    gc.set_threshold(_NEW_OBJECTS)
    # What is registered first is called last.
    atexit.register(leaving := _Leaving())
    # Libraries that log in the standard way would otherwise write to the terminal: PySpark does so at Ctrl-C.
    logging.getLogger().addHandler(logging.NullHandler())
    if not debug:
        sys.excepthook = partial(_tell_defect, json)
    return leaving


def _tell(error: LakeLogicError, json: bool) -> int:
    typer.echo(as_json(error) if json else as_text(error), err=not json)
    return error.exit_code


def _tell_defect(json: bool, _kind: type[BaseException], error: BaseException, _trace: TracebackType | None) -> None:
    _tell(unexpected(error), json)
