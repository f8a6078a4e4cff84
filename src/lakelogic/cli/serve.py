"""`lakelogic serve`: the project over HTTP."""

from __future__ import annotations

import os
import socket
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from threading import Thread
from typing import TYPE_CHECKING, Annotated

import typer

from lakelogic.cli.ending import terminable
from lakelogic.errors import UsageError
from lakelogic.project import find_project

if TYPE_CHECKING:
    from fastapi import FastAPI

# More visitors at once than that are asked to come back later.
_MOST = 512
_KEEP_ALIVE_SECONDS = 30


def command(
    project: Annotated[Path, typer.Argument(help="The folder of the project.", show_default=False)] = Path(),
    host: Annotated[str, typer.Option("--host", help="Where it listens; others than this machine need a token.")] = (
        "127.0.0.1"
    ),
    port: Annotated[int, typer.Option("--port", min=0, max=65535, help="At which port; 0 is any.")] = 8096,
    token: Annotated[
        str | None,
        typer.Option("--token", help="What visitors must know; better set as LAKELOGIC_SERVE_TOKEN.", metavar="TEXT"),
    ] = None,
    generate: Annotated[
        bool, typer.Option("--generate-token", help="Make up a token where none is set, and print it once.")
    ] = False,
) -> None:
    """Serve contracts, runs, tables and quarantine: an API, and pages for people."""
    known, made = _tokens(host, token, generate)
    if not project.is_dir():
        raise UsageError(f"'{project}' is not a folder.", cure="Name the folder of a project.")
    service = find_project(project).service
    listening = _listen(host, port)
    place = listening.getsockname()
    shown = f"[{place[0]}]" if ":" in place[0] else place[0]
    typer.echo(f"{service} is at http://{shown}:{place[1]}/ (API: /docs); Ctrl-C ends it.", err=True)
    if made:
        # Once, and apart from what is logged.
        typer.echo(made)
    _serve(project, known or made, listening)


def _tokens(host: str, token: str | None, generate: bool) -> tuple[str | None, str | None]:
    """The token that is set, and one that was made up because none is."""
    if missing := [name for name in ("fastapi", "jinja2", "uvicorn") if find_spec(name) is None]:
        raise UsageError(
            f"serving needs {', '.join(missing)}, which is not installed.",
            cure="Install it: pip install 'lakelogic[serve]'",
        )
    from lakelogic.serve.access import VARIABLE, generated_token, require_token

    if generate and token:
        raise UsageError("--token and --generate-token exclude each other.", cure="Leave out one of them.")
    known = token or os.environ.get(VARIABLE) or None
    made = generated_token() if generate and known is None else None
    require_token(host, known or made)
    return known, made


def _listen(host: str, port: int) -> socket.socket:
    try:
        family, kind, protocol, _, place = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        listening = socket.socket(family, kind, protocol)
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind(place)
        # Whoever is told where it is may come at once, and waits for the rest to start.
        listening.listen()
    except OSError as error:
        raise UsageError(
            f"can't listen at {host}:{port}: {error.strerror}.", cure="Choose another --port or --host."
        ) from None
    return listening


def _serve(project: Path, token: str | None, listening: socket.socket) -> None:
    import uvicorn

    from lakelogic.serve.waking import Waking

    waking = Waking(partial(_application, project, token))
    settings = uvicorn.Config(
        waking,
        log_level="warning",
        access_log=False,
        server_header=False,
        date_header=False,
        limit_concurrency=_MOST,
        timeout_keep_alive=_KEEP_ALIVE_SECONDS,
        timeout_graceful_shutdown=5,
        lifespan="off",
    )
    server = uvicorn.Server(settings)
    waking.when_it_fails(partial(setattr, server, "should_exit", True))
    try:
        with terminable():
            server.run(sockets=[listening])
    except KeyboardInterrupt:
        # It is how a server ends.
        return
    waking.raise_if_failed()


def _application(project: Path, token: str | None) -> FastAPI:
    from lakelogic.serve import create_app

    app = create_app(project, token=token)
    # The first visitor finds contracts loaded already, or waits for the rest of it.
    Thread(target=lambda: app.state.served.contracts, name="contracts", daemon=True).start()
    return app
