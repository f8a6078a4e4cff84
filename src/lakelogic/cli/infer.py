"""`lakelogic infer`: a contract from sample data."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from lakelogic.cli import options
from lakelogic.cli.bootstrap import FORMAT, FileFormat, Layer, NoPii, NoRules, Owner, SampleRows, System, entity_report
from lakelogic.cli.output import write_json, write_text


def command(
    file: Annotated[str, typer.Argument(help="A file, a folder or a pattern: files of one kind.")],
    output: Annotated[Path | None, typer.Option("--output", "-o", help="A new file; else it is printed.")] = None,
    format: FileFormat = None,
    layer: Layer = "bronze",
    system: System = None,
    owner: Owner = None,
    sample_rows: SampleRows = None,
    profile: Annotated[bool, typer.Option("--profile", help="Print what was found in each column.")] = False,
    no_detect_pii: NoPii = False,
    no_suggest_rules: NoRules = False,
    as_json: options.AsJson = False,
) -> None:
    """Write a contract for sample data, after a look at all its rows."""
    from lakelogic.cli.screen.consoles import messages, show
    from lakelogic.cli.screen.discover import profile_view
    from lakelogic.cli.screen.progress import Phases, watched
    from lakelogic.discover.bootstrap import infer, place_beside, system_of
    from lakelogic.discover.landing import entity_of
    from lakelogic.discover.profile import Asked

    asked = Asked(sample_rows, personal=not no_detect_pii, rules=not no_suggest_rules)
    phases, errors = Phases(), messages()
    with watched(errors, phases):
        entity = entity_of(file, format)
        phases(f"{entity.name}: {len(entity.files):,} files")
        found, text = infer(entity, asked, place_beside(output, layer, system or system_of(file), owner))
    if as_json:
        write_json({"format": FORMAT, "entity": entity_report(found), "contract": text})
        return
    if profile:
        show(errors, profile_view(found))
    write_text(text, output)
