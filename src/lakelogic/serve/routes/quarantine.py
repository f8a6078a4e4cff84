"""The review queue: rows of quarantine, page by page or as a whole."""

from __future__ import annotations

from typing import Annotated, Literal
from urllib.parse import quote

from fastapi import APIRouter, Query
from starlette.responses import Response, StreamingResponse

from lakelogic.quarantine.rows import Order, State
from lakelogic.serve.answers import answer, plain
from lakelogic.serve.downloads import DOWNLOADS, download
from lakelogic.serve.reading.project import Served
from lakelogic.serve.reading.quarantine import QueueAsk, QueuedRow, queue_page, queue_row
from lakelogic.serve.routes.shapes import UNKNOWN

# Rows of several contracts are put in order anew for every page.
_FARTHEST = 10_000


def routes(served: Served) -> APIRouter:
    """The routes."""
    found = APIRouter(prefix="/api/quarantine", tags=["quarantine"])

    @found.get("", summary="Rows that failed, with their reasons", responses=UNKNOWN)
    def rows(
        contract: str | None = None,
        rule: str | None = None,
        run: str | None = None,
        state: State | Literal["all"] = "active",
        sort: Order = "newest",
        limit: Annotated[int, Query(ge=1, le=500)] = 50,
        offset: Annotated[int, Query(ge=0, le=_FARTHEST)] = 0,
    ) -> Response:
        ask = QueueAsk(contract, rule, run, None if state == "all" else state, sort, limit, offset)
        page = queue_page(served, ask)
        listed = [_told(each) for each in page.rows]
        return answer({"total": page.total, "limit": limit, "offset": offset, "states": page.states, "rows": listed})

    @found.get("/download", summary="All rows of a contract that failed, as a file", responses=UNKNOWN)
    def whole(
        contract: str,
        rule: str | None = None,
        run: str | None = None,
        state: State | Literal["all"] = "active",
        form: Annotated[Literal["csv", "parquet"], Query(alias="as")] = "csv",
    ) -> Response:
        ask = QueueAsk(contract, rule, run, None if state == "all" else state)
        name = quote(f"{contract}_quarantine.{form}", safe="")
        headers = {"Content-Disposition": f"attachment; filename*=UTF-8''{name}"}
        return StreamingResponse(download(served, ask, form), headers=headers, media_type=DOWNLOADS[form])

    @found.get("/{contract}/{row_id}", summary="A row that failed", responses=UNKNOWN)
    def row(contract: str, row_id: str) -> Response:
        return answer(_told(queue_row(served, contract, row_id)))

    return found


def _told(each: QueuedRow) -> dict[str, object]:
    row = plain(each.row)
    return {"contract": each.contract, "layer": each.layer, **(row if isinstance(row, dict) else {})}
