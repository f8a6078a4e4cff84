"""`lakelogic dag`: contracts, what flows between them, how they fared."""

from __future__ import annotations

import tempfile
import webbrowser
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from lakelogic.cli import driver_options as given
from lakelogic.cli import options
from lakelogic.cli.options import overrides_of
from lakelogic.cli.output import write_text

if TYPE_CHECKING:
    from lakelogic.viewer.view import View

_TEXT = "text"


def command(
    paths: given.Paths = None,
    registry: given.Registry = None,
    reference_registry: given.ReferenceRegistry = None,
    gold_registry: given.GoldRegistry = None,
    layers: given.Layers = None,
    entities: given.Entities = None,
    env: options.Environment = None,
    overrides: options.Overrides = None,
    form: Annotated[
        str | None, typer.Option("--as", metavar="FORM", help="text (the default), html, mermaid, dot or json.")
    ] = None,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", metavar="FILE", help="Write to this file; its ending tells the form."),
    ] = None,
    show: Annotated[bool, typer.Option("--open", help="Open the page in a browser.")] = False,
) -> None:
    """Draw contracts by layer, with their last runs; as a page also with where each column comes from.

    Without PATH and registries, the working directory is searched. Nothing is run, and no data is read.
    """
    from lakelogic.driver.nodes import Selection
    from lakelogic.viewer.looking import look_at

    chosen = _form(form, output, show=show)
    anything = paths or registry or reference_registry or gold_registry
    selection = Selection(
        tuple(paths or ()) if anything else (Path(),),
        tuple(registry or ()),
        tuple(reference_registry or ()),
        tuple(gold_registry or ()),
        given.words("--layers", layers),
        given.words("--entities", entities),
        env,
        overrides_of(overrides),
    )
    view = look_at(selection, columns=_has_columns(chosen))
    if chosen == _TEXT and output is None:
        from lakelogic.cli.screen.consoles import output as screen
        from lakelogic.cli.screen.consoles import show as print_views
        from lakelogic.cli.screen.dag import dag_view

        console = screen()
        print_views(console, dag_view(view, console))
        return
    if show and output is None:
        output = Path(tempfile.mkdtemp(prefix="lakelogic-")) / "dag.html"
    write_text(_written(view, chosen), output, anew=True)
    if show and output is not None:
        webbrowser.open(output.resolve().as_uri())


def _form(form: str | None, output: Path | None, *, show: bool) -> str:
    """What is asked for, else what the file's ending tells.

    Raises:
        UsageError: there is no such form.
    """
    from lakelogic.errors import UsageError
    from lakelogic.viewer.rendering import renderings

    if show and form not in (None, "html"):
        raise UsageError(f"--open shows a page, and --as {form} is none.", cure="Leave out one of them.")
    if form is None:
        endings = {each.ending: name for name, each in renderings}
        told = endings.get(output.suffix.lower(), _TEXT) if output else _TEXT
        return "html" if show else told
    if form != _TEXT:
        renderings.get(form)
    return form


def _has_columns(form: str) -> bool:
    from lakelogic.viewer.rendering import renderings

    return form != _TEXT and renderings.get(form).columns


def _written(view: View, form: str) -> str:
    if form == _TEXT:
        from lakelogic.cli.screen.dag import dag_text

        return dag_text(view)
    from lakelogic.viewer.rendering import renderings

    return renderings.get(form).write(view)
