"""Whatever a route is asked, it answers, or says what was wrong; it never breaks."""

from __future__ import annotations

from contextlib import suppress
from itertools import product
from typing import Any

import pytest
import schemathesis
from hypothesis import HealthCheck, given, settings
from hypothesis.errors import Unsatisfiable
from schemathesis import GenerationMode
from schemathesis.core.result import Ok
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
    """Ask every route with values that fit its description and with others; which statuses came back."""
    found: set[int] = set()
    operations = [each.ok() for each in api.get_all_operations() if isinstance(each, Ok)]
    assert len(operations) > 10
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
