"""Whatever a route is asked, it answers, or says what was wrong; it never breaks."""

from __future__ import annotations

from typing import Any

import pytest
import schemathesis
from hypothesis import HealthCheck, settings
from schemathesis.checks import not_a_server_error

from lakelogic.serve import create_app
from tests.serving import TOKEN, lakehouse

_HEADERS = {"Authorization": f"Bearer {TOKEN}"}
_FEW = settings(
    max_examples=12, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck), database=None
)


@pytest.fixture(scope="module")
def api(tmp_path_factory: pytest.TempPathFactory) -> schemathesis.BaseSchema:
    folder = lakehouse(tmp_path_factory.mktemp("fuzzed") / "shop")
    return schemathesis.openapi.from_asgi("/openapi.json", create_app(folder, token=TOKEN), headers=_HEADERS)


schema = schemathesis.pytest.from_fixture("api")


@schema.parametrize()
@_FEW
def test_no_request_breaks_the_server(case: schemathesis.Case[Any]) -> None:
    case.call_and_validate(headers=_HEADERS, checks=[not_a_server_error])


@pytest.mark.slow
@schema.parametrize()
@settings(_FEW, max_examples=400)
def test_no_request_of_very_many_breaks_the_server(case: schemathesis.Case[Any]) -> None:
    case.call_and_validate(headers=_HEADERS, checks=[not_a_server_error])
