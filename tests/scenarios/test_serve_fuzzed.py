"""Whatever a route is asked, it answers, or says what was wrong; it never breaks."""

from __future__ import annotations

from contextlib import suppress
from itertools import product
from typing import Any

import pytest
import schemathesis
from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi
from fastapi.routing import APIRoute
from hypothesis import HealthCheck, given, settings
from hypothesis.errors import Unsatisfiable
from schemathesis import GenerationMode
from schemathesis.core.result import Ok
from schemathesis.schemas import BaseSchema

from lakelogic.serve import create_app
from lakelogic.serve.pages.routes import page_routes
from lakelogic.serve.sign_in import sign_in_routes
from tests.serving import TOKEN, lakehouse

_HEADERS = {"Authorization": f"Bearer {TOKEN}"}
_SETTINGS = settings(deadline=None, derandomize=True, database=None, suppress_health_check=list(HealthCheck))


@pytest.fixture(scope="module")
def api(tmp_path_factory: pytest.TempPathFactory) -> BaseSchema:
    folder = lakehouse(tmp_path_factory.mktemp("fuzzed") / "shop")
    app = create_app(folder, token=TOKEN)
    app.openapi_schema = {**app.openapi(), "paths": app.openapi()["paths"] | _pages(app)}
    return schemathesis.openapi.from_asgi("/openapi.json", app, headers=_HEADERS)


def _pages(app: FastAPI) -> dict[str, Any]:
    """The paths of pages, which the description of the API leaves out."""
    routers = (page_routes(app.state.served, signs_in=True), sign_in_routes(app.state.access))
    routes = [route for router in routers for route in router.routes if isinstance(route, APIRoute)]
    for route in routes:
        route.include_in_schema = True
    paths: dict[str, Any] = get_openapi(title="pages", version="1", routes=routes)["paths"]
    return paths


def _fuzz(api: BaseSchema, examples: int) -> set[int]:
    """Ask every route with values that fit its description and with others; which statuses came back."""
    found: set[int] = set()
    operations = [each.ok() for each in api.get_all_operations() if isinstance(each, Ok)]
    assert {"/api/runs", "/", "/runs/{run_id}", "/review/act"} <= {each.path for each in operations}
    for operation, mode in product(operations, GenerationMode):

        @settings(_SETTINGS, max_examples=examples)
        @given(operation.as_strategy(generation_mode=mode))
        def ask(case: Any) -> None:
            answer = case.call(headers=_HEADERS)
            assert answer.status_code < 500, (case.as_curl_command(), answer.text)
            found.add(answer.status_code)

        # A route without parameters can't be asked wrongly.
        with suppress(Unsatisfiable):
            ask()
    return found


def test_no_request_breaks_the_server(api: BaseSchema) -> None:
    assert {200, 404, 422} <= _fuzz(api, 6)


@pytest.mark.slow
def test_no_request_of_very_many_breaks_the_server(api: BaseSchema) -> None:
    assert {200, 404, 422} <= _fuzz(api, 400)
