"""`lakelogic bootstrap`: starter contracts and a registry from a landing zone."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from lakelogic.cli import options
from lakelogic.cli.output import write_json

if TYPE_CHECKING:
    from lakelogic.discover.bootstrap import Outcome
    from lakelogic.discover.profile import Profile

FORMAT = 1
SampleRows = Annotated[
    int | None, typer.Option("--sample-rows", min=1, help="Look at so many rows of an entity; else at all.")
]
NoPii = Annotated[bool, typer.Option("--no-detect-pii", help="Guess no personal data.")]
NoRules = Annotated[bool, typer.Option("--no-suggest-rules", help="Suggest no rules.")]
System = Annotated[str | None, typer.Option("--system", help="The system that data comes from; else by its folder.")]
Owner = Annotated[str | None, typer.Option("--owner", help="Who answers for the data.")]
Layer = Annotated[str, typer.Option("--layer", help="The layer that files are read into.")]
FileFormat = Annotated[str | None, typer.Option("--format", help="csv, json, parquet, …; else by the files' endings.")]


def command(
    landing: Annotated[str, typer.Option("--landing", help="The folder in which files land.")],
    output_dir: Annotated[Path, typer.Option("--output-dir", help="The folder for the contracts.")],
    registry: Annotated[Path, typer.Option("--registry", help="The registry file that lists them.")],
    format: FileFormat = None,
    pattern: Annotated[str | None, typer.Option("--pattern", help="Only files of such names, as in '*.csv'.")] = None,
    layer: Layer = "bronze",
    system: System = None,
    owner: Owner = None,
    tables: Annotated[
        str | None, typer.Option("--target-root", help="Where tables go; else output-dir/output.")
    ] = None,
    silver: Annotated[bool, typer.Option("--silver", help="Suggest silver contracts, one row for each key.")] = False,
    sample_rows: SampleRows = None,
    sync: Annotated[bool, typer.Option("--sync", help="Add what is new to what is there, and show changes.")] = False,
    profile: Annotated[bool, typer.Option("--profile", help="Print what was found in each column.")] = False,
    no_detect_pii: NoPii = False,
    no_suggest_rules: NoRules = False,
    as_json: options.AsJson = False,
) -> None:
    """Write starter contracts and a registry for the files of a landing zone, after a look at all their rows.

    A file that was edited since is never overwritten.
    """
    from lakelogic.cli.screen.consoles import messages, output, show
    from lakelogic.cli.screen.discover import outcome_view
    from lakelogic.cli.screen.next import next_view
    from lakelogic.cli.screen.progress import Phases, watched
    from lakelogic.discover.bootstrap import Order, bootstrap
    from lakelogic.discover.profile import Asked

    asked = Asked(sample_rows, personal=not no_detect_pii, rules=not no_suggest_rules)
    order = Order(
        landing, output_dir, registry, format, pattern, layer, system, owner, tables, silver, sync, asked
    )  # fmt: skip
    phases, console = Phases(), output()
    with watched(messages(), phases):
        outcome = bootstrap(order, phases)
    if as_json:
        write_json(_report(outcome))
    else:
        show(console, outcome_view(outcome, console, whole=profile), *next_view(_next(output_dir, registry)))
    raise typer.Exit(1 if outcome.unreadable else 0)


def _next(contracts: Path, registry: Path) -> tuple[tuple[str, str], ...]:
    return (
        (f"lakelogic lint {contracts}", "says what a reviewer would say"),
        (f"lakelogic-driver --registry {registry}", "runs them all"),
    )


def _report(outcome: Outcome) -> dict[str, object]:
    return {
        "format": FORMAT,
        "entities": [entity_report(profile) for profile in outcome.profiles],
        "unreadable": [
            {"entity": each.entity.name, "message": each.error.message, "cure": each.error.cure}
            for each in outcome.unreadable
        ],
        "files": [{"path": str(draft.path), "state": draft.state} for draft in outcome.drafts],
    }


def entity_report(profile: Profile) -> dict[str, object]:
    """What was found out about an entity, for programs."""
    from lakelogic.cli.screen.discover import column_report

    key = profile.key
    return {
        "name": profile.entity.name,
        "format": profile.entity.format,
        "path": profile.entity.path,
        "pattern": profile.entity.pattern,
        "dated": profile.entity.dated,
        "files": profile.files,
        "bytes": profile.entity.size,
        "rows": profile.rows,
        "malformed": profile.malformed,
        "key": {"columns": list(key.columns), "reason": ". ".join(key.reasons), "unique": key.unique} if key else None,
        "columns": [column_report(column) for column in profile.columns],
    }
