"""`lakelogic lint`: what a reviewer would say about contracts."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from lakelogic.cli import options
from lakelogic.cli.output import write_json
from lakelogic.contract.discovery import Verdict, find_contracts, judge
from lakelogic.contract.lint.base import Finding, lint, lint_rules
from lakelogic.errors import ContractInvalid, GateClosed
from lakelogic.wording import counted

FORMAT = 1


def command(
    paths: Annotated[list[Path], typer.Argument(help="Contract files, or folders to search for them.")],
    strict: Annotated[bool, typer.Option("--strict", help="Exit with 1 if there is a warning.")] = False,
    ignore: Annotated[
        list[str] | None, typer.Option("--ignore", metavar="CODE", help="A warning to leave out; repeatable.")
    ] = None,
    as_json: options.AsJson = False,
) -> None:
    """Say what a reviewer would say about contracts: names, owners, personal data, rules, keys."""
    for code in ignore or ():
        lint_rules.get(code)
    verdicts = [judge(file) for file in find_contracts(paths).contracts]
    found = {each.file: lint(each.contract, ignore or ()) for each in verdicts if each.contract is not None}
    if as_json:
        write_json(_report(verdicts, found))
    else:
        _print(verdicts, found)
    if not all(verdict.valid for verdict in verdicts):
        raise typer.Exit(ContractInvalid.exit_code)
    if strict and any(found.values()):
        raise typer.Exit(GateClosed.exit_code)


def _print(verdicts: Sequence[Verdict], found: dict[Path, list[Finding]]) -> None:
    # What is wrong in a file that contracts share is wrong for each of them, and told once.
    problems = dict.fromkeys(str(problem) for verdict in verdicts for problem in verdict.problems)
    findings = [each for verdict in verdicts for each in found.get(verdict.file, ())]
    for each in (*problems, *findings):
        typer.echo(each)
    told = f"{counted(len(verdicts), 'contract')}: {counted(len(findings), 'warning')}"
    typer.echo(f"{told}, {counted(len(problems), 'problem')}.")


def _report(verdicts: Sequence[Verdict], found: dict[Path, list[Finding]]) -> dict[str, object]:
    return {
        "format": FORMAT,
        "clean": all(verdict.valid and not found.get(verdict.file) for verdict in verdicts),
        "contracts": [
            {
                "file": str(verdict.file),
                "valid": verdict.valid,
                "problems": [str(problem) for problem in verdict.problems],
                "warnings": [_told(each) for each in found.get(verdict.file, ())],
            }
            for verdict in verdicts
        ],
    }


def _told(finding: Finding) -> dict[str, object]:
    place = finding.place
    return {
        "code": finding.code,
        "message": finding.message,
        "cure": finding.cure,
        "file": place.file,
        "line": place.line,
        "column": place.column,
    }
