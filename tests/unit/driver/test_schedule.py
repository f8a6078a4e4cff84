"""The order and the side-by-side of a schedule, with work that only waits."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from lakelogic.driver.graph import build_graph
from lakelogic.driver.nodes import load_nodes
from lakelogic.driver.schedule import Schedule
from lakelogic.driver.summary import Outcome
from lakelogic.driver.watching import Nobody, Watch
from lakelogic.driver.windows import Window
from lakelogic.driver.working import outcome_of
from tests.unit.driver.lake import Lake


@pytest.fixture
def lake(lake: Lake) -> Lake:
    for number in range(3):
        lake.contract(f"bronze_{number}")
    lake.contract("silver_0", source="bronze_0")
    return lake


def schedule_of(lake: Lake, work: Callable[[str, Watch], Outcome], **more: Any) -> Schedule:
    graph = build_graph(load_nodes(lake.root / "contracts"))
    ended: list[str] = []
    return Schedule(
        graph,
        frozenset(graph.nodes),
        Window(),
        lambda name: None,
        work,
        lambda outcome: ended.append(outcome.contract),
        Nobody(),
        **more,
    )


def done(lake: Lake, name: str) -> Outcome:
    return outcome_of(load_nodes(lake.root / "contracts")[name], Window(), "succeeded", "")


def test_independent_contracts_are_at_work_at_the_same_time(lake: Lake) -> None:
    together = threading.Barrier(3, timeout=5)

    def work(name: str, watch: Watch) -> Outcome:
        if name.startswith("bronze"):
            together.wait()
        return done(lake, name)

    outcomes = schedule_of(lake, work, workers=3).run()
    assert [outcome.status for outcome in outcomes] == ["succeeded"] * 4


def test_no_more_than_so_many_are_at_work(lake: Lake) -> None:
    at_work: list[int] = []
    lock = threading.Lock()
    now = 0

    def work(name: str, watch: Watch) -> Outcome:
        nonlocal now
        with lock:
            now += 1
            at_work.append(now)
        watch.stopped.wait(0.02)
        with lock:
            now -= 1
        return done(lake, name)

    schedule_of(lake, work, workers=2).run()
    assert max(at_work) == 2


def test_a_defect_of_one_contract_does_not_take_the_others_with_it(lake: Lake) -> None:
    def work(name: str, watch: Watch) -> Outcome:
        if name == "bronze_0":
            raise ZeroDivisionError("a value of the data")
        return done(lake, name)

    told = {outcome.contract: outcome for outcome in schedule_of(lake, work).run()}
    assert told["bronze_0"].reason == "unexpected ZeroDivisionError: a defect of LakeLogic."
    assert told["silver_0"].status == "blocked"
    assert told["bronze_1"].status == "succeeded"


def test_an_interrupt_stops_what_is_at_work_and_names_what_had_not_begun(
    lake: Lake, monkeypatch: pytest.MonkeyPatch
) -> None:
    def work(name: str, watch: Watch) -> Outcome:
        assert watch.stopped.wait(5)
        return replace(done(lake, name), status="interrupted", exit_code=130)

    schedule = schedule_of(lake, work, workers=1)
    monkeypatch.setattr("lakelogic.driver.schedule.wait", _first_raises())
    outcomes = schedule.run()
    assert schedule.interrupted
    assert [(o.contract, o.status, o.reason) for o in outcomes][1:] == [
        (name, "interrupted", "it had not begun") for name in ("bronze_1", "bronze_2", "silver_0")
    ]


def _first_raises() -> Callable[..., Any]:
    """`concurrent.futures.wait` that is interrupted the first time."""
    from concurrent import futures

    calls: list[int] = []

    def wait(*given: Any, **more: Any) -> Any:
        calls.append(1)
        if len(calls) == 1:
            raise KeyboardInterrupt
        return futures.wait(*given, **more)

    return wait
