"""`lakelogic verify-portability`: whether a contract means the same on every engine."""

from __future__ import annotations

from typing import Annotated

import typer

from lakelogic.cli import options
from lakelogic.cli.options import chosen_contract, overrides_of
from lakelogic.cli.output import write_json


def command(
    contract: options.Contract = None,
    engines: Annotated[str | None, typer.Option("--engines", help="Which ones, as in spark,duckdb; else all.")] = None,
    rows: Annotated[int, typer.Option("--rows", min=0, help="Rows in which odd values meet by chance.")] = 200,
    seed: Annotated[int, typer.Option("--seed", help="Another number makes other rows.")] = 0,
    env: options.Environment = None,
    overrides: options.Overrides = None,
    as_json: options.AsJson = False,
    verbose: options.Verbose = False,
    contract_option: options.ContractOption = None,
) -> None:
    """Make rows for the contract, run them on every engine that is installed, and compare every cell.

    The contract's own source and tables are not touched.
    """
    file = chosen_contract(contract, contract_option)
    from lakelogic.contract import load_contract

    loaded = load_contract(file, overrides=overrides_of(overrides), environment=env)

    from lakelogic.cli.logging import log_to
    from lakelogic.cli.screen.consoles import messages, output, show
    from lakelogic.cli.screen.portability import verdict_view
    from lakelogic.cli.screen.progress import Phases, watched
    from lakelogic.portability.verify import installed_engines, verify
    from lakelogic.run.begin import require_supported

    require_supported(loaded)
    wanted = [name.strip() for name in engines.split(",")] if engines else installed_engines()
    phases, errors, console = Phases(), messages(), output()
    if verbose:
        # The runs are means to an end: what each of them says is of no interest otherwise.
        log_to(errors, verbose=True)
    with watched(errors, phases, draws=not verbose):
        verdict = verify(loaded, wanted, rows, seed, phases)
    if as_json:
        write_json(verdict.to_dict())
    else:
        show(console, verdict_view(verdict, console))
    raise typer.Exit(0 if verdict.is_portable else 1)
