"""The pages of commands and errors."""

from __future__ import annotations

from collections.abc import Iterator
from importlib import import_module
from pkgutil import walk_packages
from typing import Any

import typer

import lakelogic
from lakelogic.cli.driver import build_program
from lakelogic.cli.main import COMMANDS, build_app
from lakelogic.errors import LakeLogicError
from scripts.pages.markdown import page, prose, table


def commands_page() -> str:
    """Every command with its arguments and options."""
    return page(
        "Commands",
        "Every command takes `--help`; `--debug` before or after it shows the traceback of an error.",
        *_commands(),
        *_driver(),
    )


def errors_page() -> str:
    """Every error with its code."""
    rows = [
        (
            f"`{kind.code}`",
            f"`{kind.__name__}`",
            str(kind.exit_code),
            "yes" if kind.retry_can_help else "",
            prose(kind.__doc__),
        )
        for kind in sorted(_errors(), key=lambda kind: (kind.exit_code, kind.code))
    ]
    return page(
        "Errors",
        "The `code` is stable: programs may rely on it. *Retry* marks errors that a later attempt can cure by itself.",
        table(("code", "class", "exit", "retry", "meaning"), rows),
    )


def _commands() -> Iterator[str]:
    for name in COMMANDS:
        command = typer.main.get_command(build_app(name)).commands[name]  # type: ignore[attr-defined]
        yield from _command(f"lakelogic {name}", command)
        for inner, each in getattr(command, "commands", {}).items():
            yield from _command(f"lakelogic {name} {inner}", each)


def _driver() -> Iterator[str]:
    yield from _command("lakelogic-driver", typer.main.get_command(build_program()))


def _command(name: str, command: Any) -> Iterator[str]:
    yield f"## {name}"
    yield prose(command.help)
    if rows := [_parameter(each) for each in command.params if each.name != "help"]:
        yield table(("", "default", "meaning"), rows)


def _parameter(parameter: object) -> tuple[str, str, str]:
    opts = [*getattr(parameter, "opts", ()), *getattr(parameter, "secondary_opts", ())]
    is_option = any(opt.startswith("-") for opt in opts)
    shown = ", ".join(f"`{opt}`" for opt in opts) if is_option else f"`{str(getattr(parameter, 'name', '')).upper()}`"
    default = getattr(parameter, "default", None)
    told = "" if default in (None, False, [], ()) or callable(default) else f"`{default}`"
    return (
        shown,
        "*required*" if getattr(parameter, "required", False) else told,
        prose(getattr(parameter, "help", None)),
    )


def _errors() -> set[type[LakeLogicError]]:
    for module in walk_packages(lakelogic.__path__, "lakelogic."):
        if not module.name.endswith("__main__"):
            import_module(module.name)
    return {LakeLogicError, *_below(LakeLogicError)}


def _below(kind: type[LakeLogicError]) -> set[type[LakeLogicError]]:
    return {found for child in kind.__subclasses__() for found in (child, *_below(child))}
