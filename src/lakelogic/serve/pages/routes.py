"""The pages at their addresses."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from datetime import UTC, datetime
from typing import Any

from fastapi import APIRouter, Request
from fastapi.exceptions import RequestValidationError
from fastapi.routing import APIRoute
from starlette.responses import Response

from lakelogic.errors import LakeLogicError
from lakelogic.observe.history import Wanted
from lakelogic.serve.answers import NotFound
from lakelogic.serve.pages import review
from lakelogic.serve.pages.render import assets, fragment, page
from lakelogic.serve.pages.showing import Message, Showing
from lakelogic.serve.pages.views import contract, dag, overview, plan, run, runs
from lakelogic.serve.reading.contracts import detail, summaries
from lakelogic.serve.reading.project import Served

_YEAR = "private, max-age=31536000, immutable"
_HISTORY = 40


def _telling(showing: Showing) -> type[APIRoute]:
    """Routes that tell people what went wrong on a page of its own."""

    class PageRoute(APIRoute):
        def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
            answer = super().get_route_handler()

            async def told(request: Request) -> Response:
                try:
                    return await answer(request)
                except RequestValidationError:
                    return _message(showing, "Not understood", "The address asks for something in a wrong way.", 422)
                except NotFound as error:
                    return _message(showing, "Not here", error.message, 404, error.cure)
                except LakeLogicError as error:
                    return _message(showing, "This can't be shown now", error.message, 503, error.cure)

            return told

    return PageRoute


def _message(showing: Showing, title: str, message: str, status: int, cure: str | None = None) -> Response:
    return page("message.html", showing.site, "", Message(title, message, cure), status)


def page_routes(served: Served, *, signs_in: bool) -> APIRouter:
    """Every page, its pictures and its scripts; `signs_in` says whether visitors have signed in, and may sign out."""
    showing = Showing(served, signs_in=signs_in)
    routes = APIRouter(include_in_schema=False, route_class=_telling(showing))
    _overview(routes, showing)
    _contract(routes, showing)
    _runs(routes, showing)
    _plan(routes, showing)
    _dag(routes, showing)
    _static(routes)
    review.add(routes, showing)
    return routes


def _overview(routes: APIRouter, showing: Showing) -> None:
    @routes.get("/")
    def overview_page(q: str = "", health: str = "", shown: int = 100) -> Response:
        asked = overview.Asked(q[:200], health, min(max(shown, 1), 2_000))
        view = overview.overview(
            showing.summaries(),
            showing.recent(),
            showing.last(),
            showing.served.runs.scores(),
            asked,
            datetime.now(UTC),
            showing.problem,
            showing.first_command,
        )
        return page("overview.html", showing.site, "/", view)


def _contract(routes: APIRouter, showing: Showing) -> None:
    # A name may have slashes in it.
    @routes.get("/contracts/{name:path}")
    def contract_page(name: str) -> Response:
        served = showing.served
        known = detail(served, name)
        found = served.runs.newest(Wanted(contract=name), limit=_HISTORY)
        view = contract.contract_page(
            known,
            {each.name: each for each in summaries(served)},
            showing.last().get(name),
            found.runs,
            found.total,
            served.runs.rules(name, _HISTORY),
            datetime.now(UTC),
        )
        return page("contract.html", showing.site, "/", view)


def _runs(routes: APIRouter, showing: Showing) -> None:
    @routes.get("/runs")
    def runs_page(contract: str = "", status: str = "", offset: int = 0) -> Response:
        asked = runs.Asked(contract, status, min(max(offset, 0), 10_000_000))
        wanted = Wanted(contract=contract or None, status=status or None)
        found = showing.served.runs.newest(wanted, limit=runs.PAGE, offset=asked.offset)
        names = [each.name for each in showing.summaries()]
        return page("runs.html", showing.site, "/runs", runs.runs_page(asked, found, names, showing.first_command))

    @routes.get("/runs/{run_id}")
    def run_page(run_id: str) -> Response:
        return page(
            "run.html", showing.site, "/runs", run.run_page(showing.served.runs.run(run_id), str(showing.served.folder))
        )


def _plan(routes: APIRouter, showing: Showing) -> None:
    @routes.get("/plan")
    def plan_of_run(run: str) -> Response:
        served = showing.served
        told = served.runs.run(run).run
        try:
            contract = served.contracts.node(told.contract or "").contract
            return fragment("plan.html", plan=plan.plan_view(contract, told))
        except LakeLogicError as error:
            # It stands in the place of the plan, not of the page.
            return fragment("problem.html", problem=str(error))


def _dag(routes: APIRouter, showing: Showing) -> None:
    @routes.get("/dag")
    def dag_page() -> Response:
        served = showing.served
        view = served.answers.get("dag page", served.minute, lambda: dag.dag_page(served.contracts.graph))
        return page("dag.html", showing.site, "/dag", view)


def _static(routes: APIRouter) -> None:
    @routes.get("/static/{name}")
    def static(name: str) -> Response:
        if (asset := assets().get(name)) is None:
            raise NotFound(f"'{name}' does not come with the pages.")
        return Response(asset.content, media_type=asset.kind, headers={"Cache-Control": _YEAR})
