"""Numbers for Prometheus."""

from __future__ import annotations

from fastapi import APIRouter
from starlette.responses import Response

from lakelogic.observe.log_metrics import registry_of
from lakelogic.serve.reading.project import Served
from lakelogic.serve.routes.shapes import NOT_NOW


def routes(served: Served) -> APIRouter:
    """The route."""
    found = APIRouter(tags=["metrics"])

    @found.get("/metrics", summary="Numbers over the run log, for Prometheus", responses=NOT_NOW)
    def metrics() -> Response:
        from prometheus_client import CONTENT_TYPE_LATEST, generate_latest

        # The log is read when the numbers are asked for; until it changes, they are the same.
        page = served.documents.get(
            "metrics", served.runs.stamp, lambda: generate_latest(registry_of(served.runs.folders[0]))
        )
        return Response(page, media_type=CONTENT_TYPE_LATEST)

    return found
