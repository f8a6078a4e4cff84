"""Runs: the list of them, one in full, and how rules fared over time."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime
from typing import Annotated

from fastapi import APIRouter, Query
from starlette.responses import Response

from lakelogic.observe.history import RulePoint, Wanted
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
        listed = _by_rule(served.runs.rules(node.name, limit))
        return answer({"contract": node.name, "layer": node.layer, "rules": listed})

    return found


def _by_rule(points: Iterable[RulePoint]) -> list[dict[str, object]]:
    """Each rule with how it fared, run by run."""
    found: dict[str, list[RulePoint]] = {}
    for point in points:
        found.setdefault(point.rule.name, []).append(point)
    return [
        {
            "name": name,
            "severity": each[0].rule.severity,
            "category": each[0].rule.category,
            "history": [
                {
                    "run_id": point.run_id,
                    "started_at": point.started_at,
                    "status": point.rule.status,
                    "source_rows": point.counts_source,
                    "failed": point.rule.failed,
                    "value": point.rule.value,
                }
                for point in each
            ],
        }
        for name, each in found.items()
    ]


def _utc(moment: datetime | None) -> datetime | None:
    return moment.replace(tzinfo=UTC) if moment is not None and moment.tzinfo is None else moment
