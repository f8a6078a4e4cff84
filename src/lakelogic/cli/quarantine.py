"""`lakelogic quarantine`: rows that failed, why they did, and what becomes of them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, cast

import typer

from lakelogic.cli import options
from lakelogic.cli.output import write_json
from lakelogic.errors import UsageError, did_you_mean
from lakelogic.wording import counted

if TYPE_CHECKING:
    from lakelogic.quarantine.lifecycle import Quarantine, Resolved
    from lakelogic.quarantine.rows import QuarantinedRow, State, Wanted

FORMAT = 1

app = typer.Typer(rich_markup_mode=None, no_args_is_help=True)

_Contract = Annotated[Path, typer.Argument(help="The contract file.", show_default=False)]
_Run = Annotated[str | None, typer.Option("--run", help="Only rows that this run has quarantined.")]
_Rule = Annotated[str | None, typer.Option("--rule", help="Only rows that failed this rule.")]
_State = Annotated[str, typer.Option("--state", help="active, replayed, released, dropped, superseded, or all.")]
_Since = Annotated[str | None, typer.Option("--since", help="Quarantined since: 24h, 7d, a date or a time (UTC).")]
_Until = Annotated[str | None, typer.Option("--until", help="Quarantined before; as --since.")]
_Row = Annotated[str | None, typer.Option("--row", help="Only the row whose id begins with this.")]
_Limit = Annotated[int, typer.Option("--limit", "-n", min=1, help="The most rows to show.")]
_Offset = Annotated[int, typer.Option("--offset", min=0, help="How many rows to skip before.")]
_Reveal = Annotated[bool, typer.Option("--reveal", help="Show original values; needs the key if they are encrypted.")]
_Reason = Annotated[str, typer.Option("--reason", help="Why; kept in the run log.", show_default=False)]


@app.callback()
def command() -> None:
    """Look at rows that failed; replay, release or drop them."""


@app.command("list")
def list_rows(
    contract: _Contract,
    run: _Run = None,
    rule: _Rule = None,
    state: _State = "active",
    since: _Since = None,
    until: _Until = None,
    limit: _Limit = 50,
    offset: _Offset = 0,
    engine: options.Engine = None,
    env: options.Environment = None,
    as_json: options.AsJson = False,
) -> None:
    """List rows: state, what they failed, where they came from."""
    quarantine = _open(contract, engine, env)
    wanted = _wanted(run, rule, state, since, until)
    rows, states = quarantine.rows(wanted, limit=limit, offset=offset), quarantine.states()
    if as_json:
        write_json(
            {
                "format": FORMAT,
                "table": quarantine.table.location,
                "states": states,
                "rows": [row.to_dict() for row in rows],
            }
        )
        return
    from lakelogic.cli.screen.consoles import output, show
    from lakelogic.cli.screen.quarantine import rows_view

    console = output()
    show(console, rows_view(rows, states, quarantine.table.location))


@app.command("show")
def show_rows(
    contract: _Contract,
    row: Annotated[str, typer.Argument(help="The id of a row, or its beginning.")],
    reveal: _Reveal = False,
    engine: options.Engine = None,
    env: options.Environment = None,
    as_json: options.AsJson = False,
) -> None:
    """Show a row whole: stored values, reasons, origin, state."""
    from lakelogic.quarantine.rows import Wanted

    _show(_open(contract, engine, env).rows(Wanted(row=row), reveal=reveal), f"no row has the id {row}.", as_json)


@app.command("why")
def why(
    contract: _Contract,
    key: Annotated[list[str], typer.Argument(help="The primary key, each part by itself; or the id of a row.")],
    engine: options.Engine = None,
    env: options.Environment = None,
    as_json: options.AsJson = False,
) -> None:
    """Tell of a key what it failed, with which values, where, when."""
    quarantine = _open(contract, engine, env)
    what = f"with the key {', '.join(key)}" if quarantine.contract.primary_key else f"of the id {key[0]}"
    _show(quarantine.why(key), f"no row {what} was ever quarantined.", as_json)


@app.command("replay")
def replay(
    contract: _Contract,
    run: _Run = None,
    rule: _Rule = None,
    since: _Since = None,
    until: _Until = None,
    row: _Row = None,
    reason: _Reason = "replay",
    engine: options.Engine = None,
    env: options.Environment = None,
    as_json: options.AsJson = False,
) -> None:
    """Judge active rows by today's contract; what passes is moved."""
    quarantine = _open(contract, engine, env)
    _tell("replayed", quarantine.replay(_wanted(run, rule, "active", since, until, row), reason=reason), as_json)


@app.command("drop", help="Mark active rows as dropped: nobody needs them.")
@app.command("release", help="Move active rows to the target as they are, although they failed.")
def settle(
    context: typer.Context,
    contract: _Contract,
    run: _Run = None,
    rule: _Rule = None,
    since: _Since = None,
    until: _Until = None,
    row: _Row = None,
    reason: _Reason = "",
    yes: options.Yes = False,
    engine: options.Engine = None,
    env: options.Environment = None,
    as_json: options.AsJson = False,
) -> None:
    """Decide about active rows, as the command says."""
    quarantine, wanted = _open(contract, engine, env), _wanted(run, rule, "active", since, until, row)
    options.require_reason(reason)
    if context.info_name == "release":
        options.confirm(f"Move {_counted(quarantine, wanted)} to the target although they failed?", yes)
        _tell("released", quarantine.release(wanted, reason=reason), as_json)
    else:
        options.confirm(f"Mark {_counted(quarantine, wanted)} as dropped?", yes)
        _tell("dropped", quarantine.drop(wanted, reason=reason), as_json)


def _open(contract: Path, engine: str | None, environment: str | None) -> Quarantine:
    from lakelogic.contract import load_contract

    loaded = load_contract(contract, environment=environment)
    from lakelogic.quarantine.lifecycle import Quarantine

    return Quarantine(loaded, engine)


def _wanted(
    run: str | None, rule: str | None, state: str, since: str | None, until: str | None, row: str | None = None
) -> Wanted:
    from lakelogic.quarantine.rows import STATES, Wanted

    if state not in (*STATES, "all"):
        raise UsageError(f"--state {state} is unknown.", cure=did_you_mean(state, (*STATES, "all")))
    chosen = None if state == "all" else cast("State", state)
    return Wanted(chosen, run, rule, options.moment("--since", since), options.moment("--until", until), row=row)


def _counted(quarantine: Quarantine, wanted: Wanted) -> str:
    return f"{counted(quarantine.states(wanted).get('active', 0), 'row')} of {quarantine.table.location}"


def _show(rows: list[QuarantinedRow], nothing: str, as_json: bool) -> None:
    if not rows:
        raise UsageError(nothing, cure="`lakelogic quarantine list` shows what there is.")
    if as_json:
        write_json({"format": FORMAT, "rows": [row.to_dict() for row in rows]})
        return
    from lakelogic.cli.screen.consoles import output, show
    from lakelogic.cli.screen.quarantine import row_views

    console = output()
    show(console, *row_views(rows))


def _tell(word: str, resolved: Resolved, as_json: bool) -> None:
    run = resolved.run
    stay = (run.counts.quarantined or 0) if run else 0
    # A run that was cut off before and is finished now was asked for its own rows.
    asked = max(resolved.asked, (run.counts.source or 0) if run else 0)
    if as_json:
        write_json(
            {"format": FORMAT, "asked": asked, word: asked - stay, "stay": stay, "run": run.to_dict() if run else None}
        )
        return
    if run is None:
        typer.echo("No active row is meant: nothing to do.")
        return
    left = f", {stay:,} stay active with new reasons" if stay else ""
    typer.echo(f"{asked - stay:,} of {asked:,} rows {word} by run {run.run_id}{left}.")
