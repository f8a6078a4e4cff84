"""The review queue at its addresses, and the decisions that holders of the token make there."""

from __future__ import annotations

from typing import Literal, cast, get_args
from urllib.parse import parse_qs

from fastapi import APIRouter, Request
from starlette.responses import RedirectResponse, Response

from lakelogic.errors import LakeLogicError, UsageError
from lakelogic.observe.history import Wanted as WantedRuns
from lakelogic.quarantine.lifecycle import Quarantine, Resolved
from lakelogic.quarantine.rows import STATES, State, Wanted
from lakelogic.serve.answers import NotFound
from lakelogic.serve.pages.jobs import Job
from lakelogic.serve.pages.links import review_link
from lakelogic.serve.pages.render import fragment, page
from lakelogic.serve.pages.showing import Showing
from lakelogic.serve.pages.views import review
from lakelogic.serve.reading.quarantine import QueueAsk, queue_page

Action = Literal["replay", "release", "drop"]
_PAST = {"replay": "replayed", "release": "released", "drop": "dropped"}
_RUNS = 50
_LONGEST_NOTE = 500


def add(routes: APIRouter, showing: Showing) -> None:
    """The queue, one row of it, a decision, and how that goes."""
    _queue(routes, showing)
    _row(routes, showing)
    _decisions(routes, showing)


def _queue(routes: APIRouter, showing: Showing) -> None:
    @routes.get("/review")
    def queue(
        request: Request, contract: str = "", state: str = "active", rule: str = "", run: str = "", offset: int = 0,
        job: str = "",
    ) -> Response:  # fmt: skip
        if not contract:
            shown = review.index(showing.summaries(), showing.recent(), showing.last(), showing.first_command)
            return page("review.html", showing.site, "/review", shown)
        known = state if state in (*STATES, "all") else "active"
        asked = review.Asked(contract, known, rule, run, min(max(offset, 0), 10_000_000))
        return page("queue.html", showing.site, "/review", _shown(showing, asked, bool(request.state.may_write), job))

    @routes.get("/review/waiting")
    def waiting(contract: str) -> Response:
        found = queue_page(showing.served, QueueAsk(contract, limit=1))
        return fragment("waiting.html", rows=found.states.get(contract, {}).get("active", 0))


def _shown(showing: Showing, asked: review.Asked, may_act: bool, job: str) -> review.Queue:
    served = showing.served
    node = served.contracts.node(asked.contract)
    state = None if asked.state == "all" else cast("State", asked.state)
    ask = QueueAsk(asked.contract, asked.rule or None, asked.run or None, state, "newest", review.PAGE, asked.offset)
    found = queue_page(served, ask)
    last = showing.last().get(asked.contract)
    return review.queue(
        asked,
        node.layer,
        Quarantine(node.contract).table.location.removeprefix(f"{served.folder}/"),
        [each.row for each in found.rows],
        found.states.get(asked.contract, {}),
        sorted({rule.name for rule in last.rules}) if last else [],
        served.runs.newest(WantedRuns(contract=asked.contract), limit=_RUNS).runs,
        may_act=may_act,
        job=job,
    )


def _row(routes: APIRouter, showing: Showing) -> None:
    @routes.get("/review/row")
    def row(contract: str, id: str) -> Response:
        node = showing.served.contracts.node(contract)
        # The original has what no mask has touched: it is shown where nothing is private.
        private = any(item.is_personal or item.is_masked for item in node.contract.model.model.fields)
        rows = Quarantine(node.contract).rows(Wanted(row=id), limit=2, reveal=not private)
        found = next((each for each in rows if each.id == id), None)
        if found is None:
            raise NotFound("that row is not in quarantine.", cure="The queue lists those that are.")
        return page("row.html", showing.site, "/review", review.row_page(contract, found))


def _decisions(routes: APIRouter, showing: Showing) -> None:
    @routes.post("/review/act")
    async def act(request: Request) -> Response:
        sent = parse_qs((await request.body()).decode("utf-8", errors="replace"))
        try:
            job = _begun(showing, sent)
        except LakeLogicError as error:
            job = Job("", str(error), "bad")
        if "hx-request" in request.headers:
            return fragment("job.html", job=job)
        return RedirectResponse(f"{review_link(_one(sent, 'contract'))}&job={job.id}", 303)

    @routes.get("/review/jobs/{id}")
    def job(id: str) -> Response:
        found = showing.jobs.get(id)
        # The list below is read again when something has changed.
        return fragment("job.html", {} if found.running else {"HX-Trigger": "rows-changed"}, job=found)


def _begun(showing: Showing, sent: dict[str, list[str]]) -> Job:
    """
    Raises:
        UsageError: the decision is unknown, has no note, or is about no row.
        NotFound: there is no such contract.
    """
    action, note, rows = _one(sent, "action"), _one(sent, "note").strip(), tuple(sent.get("row", ()))
    if action not in get_args(Action):
        raise UsageError("that is no decision.", cure=f"Allowed: {', '.join(get_args(Action))}.")
    if not note or len(note) > _LONGEST_NOTE:
        raise UsageError("the note is missing or too long.", cure="Say in a few words why; it is kept in the run log.")
    if not rows and not _one(sent, "all"):
        raise UsageError("no row is chosen.", cure="Choose rows, then decide.")
    node = showing.served.contracts.node(_one(sent, "contract"))
    fitting = Wanted(rule=_one(sent, "rule") or None, run=_one(sent, "run") or None)
    quarantine, wanted = Quarantine(node.contract), fitting if _one(sent, "all") else Wanted(ids=rows)
    return showing.jobs.start(_PAST[action], lambda: _decided(quarantine, cast("Action", action), wanted, note))


def _decided(quarantine: Quarantine, action: Action, wanted: Wanted, note: str) -> Resolved:
    decide = {"replay": quarantine.replay, "release": quarantine.release, "drop": quarantine.drop}[action]
    return decide(wanted, reason=note)


def _one(sent: dict[str, list[str]], name: str) -> str:
    return sent.get(name, [""])[0]
