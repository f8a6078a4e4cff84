"""Contracts: the list of them, one in full, and what needs what."""

from __future__ import annotations

from fastapi import APIRouter
from starlette.responses import Response

from lakelogic.serve.answers import answer
from lakelogic.serve.reading.contracts import dag, detail, summaries
from lakelogic.serve.reading.project import Served
from lakelogic.serve.routes.shapes import NOT_NOW, UNKNOWN


def routes(served: Served) -> APIRouter:
    """The routes."""
    found = APIRouter(prefix="/api", tags=["contracts"])

    @found.get("/contracts", summary="Contracts in the order in which they run", responses=NOT_NOW)
    def contracts() -> Response:
        problem = served.contracts.problem
        return answer({"problem": str(problem) if problem else None, "contracts": summaries(served)})

    @found.get("/contracts/{name}", summary="A contract in full", responses=UNKNOWN)
    def contract(name: str) -> Response:
        return answer(detail(served, name))

    @found.get("/dag", summary="What needs what, with how each fares", responses=NOT_NOW)
    def graph() -> Response:
        return answer(dag(served))

    return found
