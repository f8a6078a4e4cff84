"""The application: routes over what a project's files, run log and tables say, behind the guard."""

from __future__ import annotations

import os
from pathlib import Path

from fastapi import FastAPI, Request
from starlette.middleware import Middleware
from starlette.responses import Response

from lakelogic import __version__
from lakelogic.errors import LakeLogicError
from lakelogic.serve.access import VARIABLE, Access, Guard
from lakelogic.serve.answers import told
from lakelogic.serve.limits import Limited, Limits
from lakelogic.serve.pages.routes import page_routes
from lakelogic.serve.reading.project import Served
from lakelogic.serve.routes import contracts, docs, metrics, quarantine, runs, runtime
from lakelogic.serve.sign_in import sign_in_routes


def create_app(project: str | Path = ".", *, token: str | None = None, limits: Limits | None = None) -> FastAPI:
    """The project in a folder as an ASGI application.

    The token is the one given, else LAKELOGIC_SERVE_TOKEN; without any, only this machine may read, and nobody write.

    Example:
        >>> app = create_app("examples/orders_lab")  # doctest: +SKIP
    """
    access, served = Access(token or os.environ.get(VARIABLE) or None), Served(Path(project))
    app = FastAPI(
        title=served.service,
        version=__version__,
        summary="Contracts, runs, tables and quarantine of a LakeLogic project.",
        docs_url=None,
        redoc_url=None,
        middleware=[Middleware(Limited, limits=limits or Limits()), Middleware(Guard, access=access)],
        exception_handlers={LakeLogicError: _refused},
    )
    for group in (runtime, runs, contracts, quarantine, metrics):
        app.include_router(group.routes(served))
    app.include_router(docs.routes(app, served))
    app.include_router(sign_in_routes(access))
    app.include_router(page_routes(served, signs_in=access.token is not None))
    app.state.served, app.state.access = served, access
    return app


async def _refused(_: Request, error: LakeLogicError) -> Response:
    return told(error)
