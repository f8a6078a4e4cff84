"""fakesnow as a program, run by the Python of its own environment: it tells at login what newer clients ask for."""

from __future__ import annotations

import json
import sys
from importlib import import_module

import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse
from starlette.routing import Route

# The package has a function of this name, which hides the module.
fakesnow_routes = import_module("fakesnow.server")

LOGIN = "/session/v1/login-request"
MORE = {"masterToken": "master", "masterValidityInSeconds": 14400, "validityInSeconds": 3600, "sessionId": 1}


async def login(request: Request) -> JSONResponse:
    told = json.loads((await fakesnow_routes.login_request(request)).body)
    return JSONResponse({**told, "data": {**MORE, **told["data"]}})


if __name__ == "__main__":
    others = [route for route in fakesnow_routes.routes if route.path != LOGIN]
    app = Starlette(routes=[Route(LOGIN, login, methods=["POST"]), *others])
    uvicorn.run(app, host="127.0.0.1", port=int(sys.argv[1]), log_level="info")
