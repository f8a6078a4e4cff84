"""The state of the lakehouse at a glance: health, quality report, previews, summary, exports."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Annotated

from fastapi import APIRouter, Query
from starlette.responses import Response

from lakelogic.exports.status import export_status
from lakelogic.serve.answers import answer, as_json, refusal
from lakelogic.serve.reading.project import Served
from lakelogic.serve.reading.quality import pipeline_summary, quality_report
from lakelogic.serve.reading.tables import table_rows
from lakelogic.serve.routes.shapes import NOT_NOW, UNKNOWN
from lakelogic.serve.waking import HEALTH, HEALTH_PATH

_PREVIEW = 20


def routes(served: Served) -> APIRouter:
    """The routes."""
    found = APIRouter(tags=["runtime"])

    @found.get(HEALTH_PATH, summary="Whether the server is up; open to everybody")
    def health() -> Response:
        return answer(HEALTH)

    @found.get("/api/runtime/quality-report", summary="How the last run has judged its rows", responses=NOT_NOW)
    def quality() -> Response:
        return answer(served.documents.get("quality", served.stamp, lambda: as_json(_quality(served))))

    @found.get("/api/runtime/table-preview/{layer}", summary="The first rows of a layer", responses=UNKNOWN)
    def preview(
        layer: str, contract: str | None = None, limit: Annotated[int, Query(ge=1, le=500)] = _PREVIEW
    ) -> Response:
        nodes = served.contracts.layers.get(layer, ())
        if not nodes:
            return refusal(404, "Unknown layer")
        chosen = next((node for node in nodes if node.name == contract), None) if contract else nodes[-1]
        if chosen is None:
            return refusal(404, f"Layer {layer} has no such contract", f"It has {', '.join(n.name for n in nodes)}.")
        table = table_rows(served, chosen, limit)
        return answer(
            {
                "schema": "lakehouse-table-preview-v1",
                "layer": layer,
                "contract": table.contract,
                "version": table.version,
                "totalRows": table.total,
                "generatedAt": datetime.now(UTC),
                "rows": table.rows,
            }
        )

    @found.get("/api/runtime/pipeline-summary", summary="Rows of every layer, and quality in sum", responses=NOT_NOW)
    def summary() -> Response:
        return answer(_summary(served))

    @found.get("/api/runtime/export-status", summary="Which exports are set up, and how the last ones ended")
    def exports() -> Response:
        return answer({"schema": "lakehouse-export-status-v1", **export_status(served.project)})

    return found


def _quality(served: Served) -> dict[str, object]:
    report = quality_report(served)
    return {
        "service": served.service,
        "schema": "lakehouse-quality-report-v1",
        "generatedAt": report.generated_at,
        "contract": report.contract,
        "runId": report.run_id,
        "summary": {
            "acceptedRows": report.accepted,
            "failedRows": report.failed,
            "qualityPassRatePct": report.pass_rate,
        },
        "expectations": report.expectations,
        "rejectedPreview": report.rejected,
    }


def _summary(served: Served) -> dict[str, object]:
    found = pipeline_summary(served)
    return {
        "schema": "lakehouse-pipeline-summary-v1",
        "layers": {each.layer: {"rows": each.rows} for each in found.layers},
        "quality": {
            "total_expectations": found.expectations,
            "passed": found.without_failure,
            "rejected_rows": found.rejected,
        },
        "gold_kpis": found.last_table.rows,
    }
