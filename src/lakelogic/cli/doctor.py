"""`lakelogic doctor`: whether this machine has what a run needs."""

from __future__ import annotations

import os
import platform
import sys
from pathlib import Path
from typing import Annotated

import typer

from lakelogic import __version__
from lakelogic.cli import options
from lakelogic.cli.output import write_json
from lakelogic.engines.finding import Finding
from lakelogic.engines.health import engine_findings
from lakelogic.errors import EngineUnavailable, LakeLogicError
from lakelogic.masks.keys import VARIABLE, load_keys
from lakelogic.project import find_project

FORMAT = 1
_MARKS = {"ok": "good", "note": "doubtful", "missing": "bad"}


def command(
    fetch: Annotated[bool, typer.Option("--fetch", help="Fetch the jars that are not in the cache yet.")] = False,
    as_json: options.AsJson = False,
) -> None:
    """Look whether this machine has what a run needs: versions, Java, jars, the key, the state folder."""
    findings = [_python(), Finding("lakelogic", "ok", __version__), *engine_findings(fetch=fetch), _key(), _state()]
    healthy = all(finding.state != "missing" for finding in findings)
    if as_json:
        checks = [vars(finding) for finding in findings]
        write_json({"format": FORMAT, "healthy": healthy, "checks": checks})
    else:
        _print(findings)
    if not healthy:
        raise typer.Exit(EngineUnavailable.exit_code)


def _python() -> Finding:
    version = platform.python_version()
    if (3, 11) <= sys.version_info[:2] <= (3, 13):
        return Finding("Python", "ok", f"{version} ({sys.executable})")
    return Finding("Python", "missing", f"{version}, but 3.11 to 3.13 is needed", "make a venv with one of them")


def _key() -> Finding:
    """Whether the key is set and strong enough; never what it is."""
    if VARIABLE not in os.environ:
        return Finding(VARIABLE, "note", "not set", "needed only by contracts that mask with a key")
    try:
        load_keys(os.environ)
    except LakeLogicError as error:
        return Finding(VARIABLE, "missing", error.message, error.cure)
    return Finding(VARIABLE, "ok", "set")


def _state() -> Finding:
    try:
        folder = find_project(Path.cwd()).state_dir
    except LakeLogicError as error:
        return Finding("State", "missing", str(error))
    there = next(path for path in (folder, *folder.absolute().parents) if path.exists())
    if there.is_dir() and os.access(there, os.W_OK | os.X_OK):
        return Finding("State", "ok", str(folder))
    return Finding("State", "missing", f"{folder} can't be written", "set LAKELOGIC_STATE to a folder that can")


def _print(findings: list[Finding]) -> None:
    from lakelogic.cli.screen.consoles import output, show
    from lakelogic.cli.screen.layout import grid, line, mark

    console, table = output(), grid("left", "left", "wrap")
    for finding in findings:
        table.add_row(mark(console, _MARKS[finding.state]), line(finding.name, "bold"), line(finding.value))
        if finding.cure:
            table.add_row("", "", line(finding.cure, "dim"))
    show(console, table)
