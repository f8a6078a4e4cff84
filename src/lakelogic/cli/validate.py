"""`lakelogic validate`: whether contracts are right, without reading data."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from lakelogic.cli import options
from lakelogic.cli.output import write_json
from lakelogic.contract.discovery import Verdict, find_contracts, judge, judge_shared
from lakelogic.errors import ContractInvalid, LakeLogicError, Place
from lakelogic.wording import counted

FORMAT = 1


def command(
    paths: Annotated[list[Path], typer.Argument(help="Contract files, or folders to search for them.")],
    as_json: options.AsJson = False,
) -> None:
    """Check contracts, and show every problem with its line."""
    found = find_contracts(paths)
    shared = {file: judge_shared(file) for file in found.skipped}
    skipped = [file for file, verdict in shared.items() if verdict is None]
    wrong = [verdict for verdict in shared.values() if verdict is not None and not verdict.valid]
    verdicts = [*wrong, *(judge(file) for file in found.contracts)]
    if as_json:
        write_json(_report(verdicts, skipped))
    else:
        _print(verdicts, skipped)
    if not all(verdict.valid for verdict in verdicts):
        raise typer.Exit(ContractInvalid.exit_code)


def _print(verdicts: Sequence[Verdict], skipped: Sequence[Path]) -> None:
    # What is wrong in a file that contracts inherit from is wrong in each of them.
    problems = dict.fromkeys(str(problem) for verdict in verdicts for problem in verdict.problems)
    for problem in problems:
        typer.echo(problem)
    for verdict in verdicts:
        for text, place in _notes(verdict):
            typer.echo(f"{place}: note: {text}")
    for file in skipped:
        typer.echo(f"{file}: skipped: not a contract.")
    invalid = sum(not verdict.valid for verdict in verdicts)
    told = f", {invalid} invalid with {counted(len(problems), 'problem')}" if invalid else ""
    typer.echo(f"{counted(len(verdicts), 'contract')}: {len(verdicts) - invalid} valid{told}.")


def _notes(verdict: Verdict) -> list[tuple[str, Place | None]]:
    """What is worth saying about a valid contract, and what a run of it would refuse."""
    notes = verdict.contract.notes if verdict.contract else ()
    return [*((note.text, note.place) for note in notes), *((item.message, item.place) for item in verdict.not_yet)]


def _report(verdicts: Sequence[Verdict], skipped: Sequence[Path]) -> dict[str, object]:
    return {
        "format": FORMAT,
        "valid": all(verdict.valid for verdict in verdicts),
        "contracts": [_contract_report(verdict) for verdict in verdicts],
        "skipped": [str(file) for file in skipped],
    }


def _contract_report(verdict: Verdict) -> dict[str, object]:
    contract = verdict.contract
    return {
        "file": str(verdict.file),
        "valid": verdict.valid,
        "name": contract.name if contract else None,
        "layer": contract.layer if contract else None,
        "problems": [{**_placed(item.place), **_told(item)} for item in verdict.problems],
        "notes": [{**_placed(note.place), "message": note.text} for note in (contract.notes if contract else ())],
        "not_supported_yet": [{**_placed(item.place), **_told(item)} for item in verdict.not_yet],
    }


def _told(problem: LakeLogicError) -> dict[str, object]:
    return {"code": problem.code, "message": problem.message, "cure": problem.cure}


def _placed(place: Place | None) -> dict[str, object]:
    return {
        "file": place.file if place else None,
        "line": place.line if place else None,
        "column": place.column if place else None,
    }
