"""The five routes over the twelve orders, against the expected answers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from lakelogic.serve import create_app
from starlette.testclient import TestClient

from tests.conftest import Lab

SAID = ("service", "schema", "summary", "rejectedPreview")


@pytest.fixture(scope="module")
def client(built: Callable[[str], Lab]) -> TestClient:
    return TestClient(create_app(built("duckdb").root), base_url="http://127.0.0.1", client=("127.0.0.1", 1))


def _told(client: TestClient, path: str) -> dict[str, Any]:
    answer = client.get(path)
    assert answer.status_code == 200, answer.text
    found: dict[str, Any] = answer.json()
    return found


def test_health_names_the_proofs(client: TestClient, expected: dict[str, Any]) -> None:
    assert _told(client, "/health") == expected["api"]["/health"]


def test_the_quality_report_adds_up(client: TestClient, expected: dict[str, Any]) -> None:
    path = "/api/runtime/quality-report"
    found, wanted = _told(client, path), expected["api"][path]
    assert {key: found[key] for key in SAID} == {key: wanted[key] for key in SAID}
    counted = [{**each, "rule": "<text>"} for each in found["expectations"]]
    assert counted == wanted["expectations"]
    assert all(each["rule"] and each["passed"] + each["failed"] == 12 for each in found["expectations"])


@pytest.mark.parametrize("layer", ["bronze", "silver", "gold"])
def test_a_layer_is_previewed(client: TestClient, expected: dict[str, Any], layer: str) -> None:
    found = _told(client, f"/api/runtime/table-preview/{layer}")
    assert (found["schema"], found["layer"]) == ("lakehouse-table-preview-v1", layer)
    assert len(found["rows"]) == expected["counts"][layer]


def test_an_unknown_layer_is_not_found(client: TestClient) -> None:
    answer = client.get("/api/runtime/table-preview/platinum")
    assert (answer.status_code, answer.json()) == (404, {"detail": "Unknown layer"})


def test_a_layer_that_was_not_built_yet_says_so(fresh: Lab) -> None:
    client = TestClient(create_app(fresh.root), base_url="http://127.0.0.1", client=("127.0.0.1", 1))
    assert client.get("/api/runtime/table-preview/gold").status_code == 503


def test_the_summary_counts_every_layer(client: TestClient, expected: dict[str, Any]) -> None:
    path = "/api/runtime/pipeline-summary"
    found, wanted = _told(client, path), expected["api"][path]
    assert (found["schema"], found["layers"], found["quality"]) == (
        wanted["schema"],
        wanted["layers"],
        wanted["quality"],
    )
    assert sorted(found["gold_kpis"], key=lambda row: row["region"]) == expected["gold_region_kpis"]


def test_without_clouds_no_export_is_set_up(
    client: TestClient, expected: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("SNOWFLAKE_ACCOUNT", "DATABRICKS_HOST", "DATABRICKS_CONFIG_PROFILE", "S3_ARTIFACT_BUCKET"):
        monkeypatch.delenv(name, raising=False)
    path = "/api/runtime/export-status"
    found, wanted = _told(client, path), expected["api"][path]
    assert found["schema"] == wanted["schema"]
    for system in ("snowflake", "databricks", "s3"):
        assert {key: found[system][key] for key in wanted[system]} == wanted[system]
