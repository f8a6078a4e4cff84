"""fakesnow as a program, run by the Python of its own environment, with what it lacks for the connector that we use."""

from __future__ import annotations

import json
import sys
from importlib import import_module
from typing import Any

import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import Route

# The package has a function of this name, which hides the module.
told: Any = import_module("fakesnow.server")
info: Any = import_module("fakesnow.info_schema")

LOGIN = "/session/v1/login-request"
# Newer connectors ask for these.
MORE = {"masterToken": "master", "masterValidityInSeconds": 14400, "validityInSeconds": 3600, "sessionId": 1}


async def login(request: Request) -> JSONResponse:
    answer = json.loads((await told.login_request(request)).body)
    return JSONResponse({**answer, "data": {**MORE, **answer["data"]}})


def from_binding(binding: dict[str, Any]) -> object:
    """A value of a batch, which may be NULL."""
    return None if binding["value"] is None else bound(binding)


if __name__ == "__main__":
    bound, told.from_binding = told.from_binding, from_binding
    # It keeps comments in another database than the table's, which DuckDB refuses inside a transaction.
    info.insert_table_comment_sql = lambda *_: "SELECT 1"
    others = [route for route in told.routes if route.path != LOGIN]
    app = Starlette(routes=[Route(LOGIN, login, methods=["POST"]), *others])
    uvicorn.run(app, host="127.0.0.1", port=int(sys.argv[1]), log_level="info")
