"""The five routes over the twelve orders, against the expected answers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from fastapi import FastAPI
from lakelogic.serve import create_app

from scripts.build_lakehouse_artifacts import asked
from tests.conftest import Lab

SAID = ("service", "schema", "summary", "rejectedPreview")


@pytest.fixture(scope="module")
def api(built: Callable[[str], Lab]) -> FastAPI:
    return create_app(built("duckdb").root)


def _told(api: FastAPI, path: str) -> dict[str, Any]:
    (answer,) = asked(api, path)
    assert answer.status_code == 200, answer.text
    found: dict[str, Any] = answer.json()
    return found


def test_health_names_the_proofs(api: FastAPI, expected: dict[str, Any]) -> None:
    assert _told(api, "/health") == expected["api"]["/health"]


def test_the_quality_report_adds_up(api: FastAPI, expected: dict[str, Any]) -> None:
    path = "/api/runtime/quality-report"
    found, wanted = _told(api, path), expected["api"][path]
    assert {key: found[key] for key in SAID} == {key: wanted[key] for key in SAID}
    counted = [{**each, "rule": "<text>"} for each in found["expectations"]]
    assert counted == wanted["expectations"]
    assert all(each["rule"] and each["passed"] + each["failed"] == 12 for each in found["expectations"])


@pytest.mark.parametrize("layer", ["bronze", "silver", "gold"])
def test_a_layer_is_previewed(api: FastAPI, expected: dict[str, Any], layer: str) -> None:
    found = _told(api, f"/api/runtime/table-preview/{layer}")
    assert (found["schema"], found["layer"]) == ("lakehouse-table-preview-v1", layer)
    assert len(found["rows"]) == expected["counts"][layer]


def test_an_unknown_layer_is_not_found(api: FastAPI) -> None:
    (answer,) = asked(api, "/api/runtime/table-preview/platinum")
    assert (answer.status_code, answer.json()) == (404, {"detail": "Unknown layer"})


def test_a_layer_that_was_not_built_yet_says_so(fresh: Lab) -> None:
    (answer,) = asked(create_app(fresh.root), "/api/runtime/table-preview/gold")
    assert answer.status_code == 503


def test_the_summary_counts_every_layer(api: FastAPI, expected: dict[str, Any]) -> None:
    path = "/api/runtime/pipeline-summary"
    found, wanted = _told(api, path), expected["api"][path]
    assert (found["schema"], found["layers"], found["quality"]) == (
        wanted["schema"],
        wanted["layers"],
        wanted["quality"],
    )
    assert sorted(found["gold_kpis"], key=lambda row: row["region"]) == expected["gold_region_kpis"]


def test_without_clouds_no_export_is_set_up(
    api: FastAPI, expected: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("SNOWFLAKE_ACCOUNT", "DATABRICKS_HOST", "DATABRICKS_CONFIG_PROFILE", "S3_ARTIFACT_BUCKET"):
        monkeypatch.delenv(name, raising=False)
    path = "/api/runtime/export-status"
    found, wanted = _told(api, path), expected["api"][path]
    assert found["schema"] == wanted["schema"]
    for system in ("snowflake", "databricks", "s3"):
        assert {key: found[system][key] for key in wanted[system]} == wanted[system]
