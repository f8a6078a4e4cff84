"""`lakelogic diff`: what changed between two versions of a contract, and whether it breaks readers."""

from __future__ import annotations

from typing import Annotated

import typer

from lakelogic.cli import options
from lakelogic.cli.output import write_json
from lakelogic.errors import GateClosed


def command(
    old: Annotated[str, typer.Argument(metavar="OLD", help="The contract before: a file, or git:REVISION:FILE.")],
    new: Annotated[str, typer.Argument(metavar="NEW", help="The contract after.")],
    as_json: options.AsJson = False,
) -> None:
    """Tell what changed and whether it breaks those who read the target. Exits with 1 if it does."""
    from lakelogic.contract.diff.base import diff
    from lakelogic.contract.diff.versions import load_version

    found = diff(load_version(old), load_version(new))
    if as_json:
        write_json(found.to_dict())
    else:
        from lakelogic.cli.screen.consoles import output, show
        from lakelogic.cli.screen.diff import diff_view

        console = output()
        show(console, diff_view(found, old, new, console))
    if found.breaks:
        raise typer.Exit(GateClosed.exit_code)
