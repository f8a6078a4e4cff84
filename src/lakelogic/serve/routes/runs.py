"""Runs: the list of them, one in full, and how rules fared over time."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Annotated

from fastapi import APIRouter, Query
from starlette.responses import Response

from lakelogic.observe.history import Wanted
from lakelogic.serve.answers import answer
from lakelogic.serve.reading.project import Served
from lakelogic.serve.routes.shapes import NOT_NOW, UNKNOWN


def routes(served: Served) -> APIRouter:
    """The routes."""
    found = APIRouter(prefix="/api", tags=["runs"])

    @found.get("/runs", summary="Runs, newest first", responses=NOT_NOW)
    def runs(
        contract: str | None = None,
        layer: str | None = None,
        status: str | None = None,
        engine: str | None = None,
        pipeline_run_id: str | None = None,
        since: datetime | None = None,
        until: datetime | None = None,
        limit: Annotated[int, Query(ge=1, le=500)] = 50,
        offset: Annotated[int, Query(ge=0, le=1_000_000)] = 0,
    ) -> Response:
        wanted = Wanted(contract, layer, status, engine, pipeline_run_id, _utc(since), _utc(until))
        page = served.runs.newest(wanted, limit=limit, offset=offset)
        return answer({"total": page.total, "limit": limit, "offset": offset, "runs": page.runs})

    @found.get("/runs/{run_id}", summary="A run in full", responses=UNKNOWN)
    def run(run_id: str) -> Response:
        return answer(served.runs.run(run_id))

    @found.get("/rules/{contract}", summary="How the rules of a contract fared, newest first", responses=UNKNOWN)
    def rules(contract: str, limit: Annotated[int, Query(ge=1, le=200)] = 50) -> Response:
        node = served.contracts.node(contract)
        return answer({"contract": node.name, "layer": node.layer, "rules": served.runs.rules(node.name, limit)})

    return found


def _utc(moment: datetime | None) -> datetime | None:
    return moment.replace(tzinfo=UTC) if moment is not None and moment.tzinfo is None else moment
