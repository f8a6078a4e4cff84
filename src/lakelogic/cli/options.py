"""Options that several commands share."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated

import typer

from lakelogic.errors import UsageError

Contract = Annotated[Path | None, typer.Argument(help="The contract file.", show_default=False)]
ContractOption = Annotated[Path | None, typer.Option("--contract", "-c", help="The same, as an option.")]
Source = Annotated[str | None, typer.Option("--source", "-s", help="Read this path or table in place of the source.")]
Target = Annotated[str | None, typer.Option("--target", "-t", help="Write good rows to this path or table.")]
Engine = Annotated[str | None, typer.Option("--engine", help="The engine to run on.")]
Master = Annotated[str | None, typer.Option("--master", help="Spark's master, such as local[4] or spark://host:7077.")]
Environment = Annotated[str | None, typer.Option("--env", help="The environment whose values the contract takes.")]
Overrides = Annotated[
    list[str] | None, typer.Option("--set", metavar="KEY=VALUE", help="Replace a value of the contract; repeatable.")
]
AsJson = Annotated[bool, typer.Option("--json", help="Print the result as JSON.")]
Verbose = Annotated[bool, typer.Option("--verbose", "-v", help="Tell more: functions, tags, what Spark says.")]
FromDay = Annotated[
    str | None, typer.Option("--reprocess-start-date", metavar="DAY", help="Process again from this day on.")
]
ToDay = Annotated[str | None, typer.Option("--reprocess-end-date", metavar="DAY", help="Process again up to this day.")]
SliceColumn = Annotated[
    str | None, typer.Option("--reprocess-column", metavar="NAME", help="Column of these days or values.")
]
SliceValues = Annotated[
    str | None, typer.Option("--reprocess-values", metavar="A,B", help="Process again rows with these values.")
]
Project = Annotated[Path, typer.Option("--project", help="A folder of the project.", show_default=False)]
Yes = Annotated[bool, typer.Option("--yes", "-y", help="Do it without asking.")]


def confirm(question: str, yes: bool) -> None:
    """Ask, where somebody can answer.

    Raises:
        UsageError: nobody can, and --yes is missing.
        Abort: the answer was no.
    """
    if yes:
        return
    if not sys.stdin.isatty():
        raise UsageError(f"{question} Nobody is here to answer.", cure="Pass --yes.")
    typer.confirm(question, abort=True, err=True)


def require_reason(reason: str) -> None:
    """
    Raises:
        UsageError: there is none.
    """
    if not reason.strip():
        raise UsageError("a reason is needed.", cure="Write --reason TEXT; it is kept in the run log.")


def moment(option: str, text: str | None) -> datetime | None:
    """A moment, given as a time or as how long ago it was.

    Raises:
        UsageError: it is neither.
    """
    if text is None:
        return None
    try:
        found = datetime.fromisoformat(text)
        return found if found.tzinfo else found.replace(tzinfo=UTC)
    except ValueError:
        pass
    # It loads the models of contracts, which a time can do without.
    from lakelogic.contract.values import parse_duration

    try:
        return datetime.now(UTC) - parse_duration(text)
    except (ValueError, OverflowError):
        raise UsageError(
            f"{option} {text} is no time.", cure="Write 24h, 7d, 2026-02-01 or 2026-02-01T06:30."
        ) from None


def chosen_contract(argument: Path | None, option: Path | None) -> Path:
    """The contract, given in either way.

    Raises:
        UsageError: given in no way, or in both.
    """
    if argument is not None and option is not None and argument != option:
        raise UsageError(f"two contracts are given: {argument} and {option}.", cure="Give one of them.")
    chosen = argument or option
    if chosen is None:
        raise UsageError("no contract is given.", cure="Name its file, such as contract.yaml.")
    return chosen


def overrides_of(pairs: Sequence[str] | None) -> dict[str, object]:
    """`key=value` pairs as a mapping.

    Raises:
        UsageError: a pair has no key or no value sign, or a key comes twice.
    """
    chosen: dict[str, object] = {}
    for pair in pairs or ():
        key, sign, value = pair.partition("=")
        if not sign or not key:
            raise UsageError(
                f"--set {pair} is not KEY=VALUE.", cure="For example: --set materialization.strategy=append"
            )
        if key in chosen:
            raise UsageError(f"--set gives {key} twice.", cure="Give it once.")
        chosen[key] = value
    return chosen
