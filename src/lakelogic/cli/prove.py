"""`lakelogic prove`: the proof of a run, written or verified."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from lakelogic.cli import options
from lakelogic.cli.output import write_json, write_text
from lakelogic.errors import UsageError

if TYPE_CHECKING:
    from lakelogic.proof.manifest import Check

FORMAT = 1
_WORDS = {True: "yes", False: "NO", None: "unknown"}


def command(
    run_id: Annotated[str | None, typer.Argument(help="The run, as `lakelogic runs` names it.")] = None,
    project: Annotated[Path, typer.Option("--project", help="A folder of the project, or a contract in it.")] = Path(),
    output: Annotated[Path | None, typer.Option("--output", "-o", help="A new file; else it is printed.")] = None,
    verify: Annotated[Path | None, typer.Option("--verify", metavar="FILE", help="Check a proof.")] = None,
    public_key: Annotated[str | None, typer.Option("--public-key", help="Whose signature a proof must have.")] = None,
    new_key: Annotated[bool, typer.Option("--new-key", help="Print a new signing key and its public half.")] = False,
    engine: options.Engine = None,
    as_json: options.AsJson = False,
) -> None:
    """Write the proof of a run: its input with hashes, its counts, and its rows counted again from storage.

    It is signed with the key in LAKELOGIC_SIGNING_KEY, if there is one.
    """
    if sum((run_id is not None, verify is not None, new_key)) != 1:
        raise UsageError("one of RUN_ID, --verify and --new-key is needed.", cure="`lakelogic runs` lists the runs.")
    if new_key:
        _new_key()
    elif verify is not None:
        _verify(verify, project, public_key, engine, as_json=as_json)
    elif run_id is not None:
        _prove(run_id, project, output, engine)


def _new_key() -> None:
    from lakelogic.proof.signing import VARIABLE, new_key

    key, public = new_key()
    typer.echo(f"export {VARIABLE}={key}\n# public key: {public}")


def _prove(run_id: str, project: Path, output: Path | None, engine: str | None) -> None:
    from lakelogic.observe.history import History
    from lakelogic.project import find_project
    from lakelogic.proof.manifest import checks, manifest
    from lakelogic.proof.signing import sign

    found = find_project(_folder(project))
    proof = manifest(found, History(found.state_dir).run(run_id).run.run_id, engine)
    text = json.dumps({"proof": proof, "signature": sign(proof)}, indent=2, ensure_ascii=False)
    write_text(f"{text}\n", output)
    _end(checks(proof), quiet=True)


def _verify(file: Path, project: Path, public_key: str | None, engine: str | None, *, as_json: bool) -> None:
    from lakelogic.project import find_project
    from lakelogic.proof.signing import trusted_key
    from lakelogic.proof.verifying import load_proof, verify

    document = load_proof(file)
    found = verify(document, find_project(_folder(project)), trusted_key(public_key), engine)
    if as_json:
        listed = [{"name": check.name, "holds": check.holds, "told": check.told} for check in found]
        write_json({"format": FORMAT, "run_id": document["proof"]["run_id"], "checks": listed})
    _end(found, quiet=as_json)


def _end(found: Sequence[Check], *, quiet: bool) -> None:
    width = max(len(check.name) for check in found)
    for check in found:
        if not quiet or (check.holds is False):
            typer.echo(f"{check.name:<{width}}  {_WORDS[check.holds]:<7}  {check.told}", err=quiet)
    if any(check.holds is False for check in found):
        raise typer.Exit(1)


def _folder(project: Path) -> Path:
    return project if project.is_dir() else project.parent
