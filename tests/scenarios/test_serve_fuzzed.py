"""Whatever a route is asked, it answers, or says what was wrong; it never breaks."""

from __future__ import annotations

from typing import Any

import pytest
import schemathesis
from hypothesis import HealthCheck, given, settings
from schemathesis.schemas import BaseSchema

from lakelogic.serve import create_app
from tests.serving import TOKEN, lakehouse

_HEADERS = {"Authorization": f"Bearer {TOKEN}"}
_SETTINGS = settings(deadline=None, derandomize=True, database=None, suppress_health_check=list(HealthCheck))


@pytest.fixture(scope="module")
def api(tmp_path_factory: pytest.TempPathFactory) -> BaseSchema:
    folder = lakehouse(tmp_path_factory.mktemp("fuzzed") / "shop")
    return schemathesis.openapi.from_asgi("/openapi.json", create_app(folder, token=TOKEN), headers=_HEADERS)


def _fuzz(api: BaseSchema, examples: int) -> set[int]:
    """Ask every route with made-up values; which statuses came back."""
    found: set[int] = set()
    for operation in (each.ok() for each in api.get_all_operations()):

        @settings(_SETTINGS, max_examples=examples)
        @given(operation.as_strategy())
        def ask(case: Any) -> None:
            answer = case.call(headers=_HEADERS)
            assert answer.status_code < 500, (case.as_curl_command(), answer.text)
            found.add(answer.status_code)

        ask()
    return found


def test_no_request_breaks_the_server(api: BaseSchema) -> None:
    assert {200, 404} <= _fuzz(api, 6)


@pytest.mark.slow
def test_no_request_of_very_many_breaks_the_server(api: BaseSchema) -> None:
    assert {200, 404, 422} <= _fuzz(api, 400)
