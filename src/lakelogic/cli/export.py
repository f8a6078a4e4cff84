"""`lakelogic export`: copies of tables in other systems."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from lakelogic.cli import options
from lakelogic.cli.output import write_json
from lakelogic.errors import UsageError

if TYPE_CHECKING:
    from lakelogic.exports.receipts import Receipt
    from lakelogic.exports.sending import Asked

FORMAT = 1


def command(
    path: Annotated[Path, typer.Argument(help="A contract, or the folder of a project: all that is listed in it.")],
    to: Annotated[
        str | None, typer.Option("--to", metavar="SYSTEM", help="Only to this one: snowflake, databricks or s3.")
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Send also what was sent before.")] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Say what would be sent, and send nothing.")] = False,
    env: options.Environment = None,
    as_json: options.AsJson = False,
    verbose: options.Verbose = False,
) -> None:
    """Send all rows of tables to the systems that contracts or the project list; what was sent before is left out."""
    from lakelogic.cli.logging import log_to
    from lakelogic.cli.screen.consoles import messages
    from lakelogic.exports.base import export_targets
    from lakelogic.exports.sending import Asked

    if to is not None:
        export_targets.get(to)
    log_to(messages(), verbose=verbose)
    receipts = _exported(path, env, Asked(to, force=force, dry_run=dry_run))
    _refuse_idle(receipts, to)
    _print(receipts, as_json=as_json)
    if any(receipt.failed for receipt in receipts):
        raise typer.Exit(1)


def _exported(path: Path, env: str | None, asked: Asked) -> list[Receipt]:
    from lakelogic.contract import load_contract
    from lakelogic.contract.exports import exports_of
    from lakelogic.exports.sending import export_contract, export_files

    if path.is_dir():
        from lakelogic.driver.nodes import Selection, open_lakehouse
        from lakelogic.project import find_project

        nodes = open_lakehouse(Selection(paths=(path,), environment=env)).nodes
        contracts = [node.contract for node in nodes.values()]
        files = export_files(find_project(path), asked)
    else:
        contracts, files = [load_contract(path, environment=env)], ()
    listing = [contract for contract in contracts if any(asked.wants(each) for each in exports_of(contract))]
    if not listing and not files:
        what = f"to {asked.to} " if asked.to else ""
        raise UsageError(f"no export {what}is listed in {path}.", cure="Add exports to the contract or the project.")
    return [receipt for contract in listing for receipt in export_contract(contract, asked)] + list(files)


def _refuse_idle(receipts: list[Receipt], to: str | None) -> None:
    """What was asked for by name, or all of it, must not be left undone in silence."""
    from lakelogic.exports.base import export_targets

    idle = [receipt for receipt in receipts if receipt.status == "not_configured"]
    if idle and (to is not None or len(idle) == len(receipts)):
        kind = idle[0].kind
        raise UsageError(f"{kind} is not configured.", cure=f"Set {export_targets.get(kind).needs}.")


def _print(receipts: list[Receipt], *, as_json: bool) -> None:
    if as_json:
        write_json({"format": FORMAT, "exports": [receipt.to_dict() for receipt in receipts]})
        return
    from lakelogic.cli.screen.consoles import output, show
    from lakelogic.cli.screen.exports import exports_view

    console = output()
    show(console, exports_view(receipts, console))
