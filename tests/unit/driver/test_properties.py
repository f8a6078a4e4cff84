"""For any graph and any failures: what needs a failed contract is blocked, and nothing else is."""

from __future__ import annotations

from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from lakelogic.contract.loading import load_text
from lakelogic.driver.graph import Graph
from lakelogic.driver.nodes import Node
from lakelogic.driver.registries import Listed
from lakelogic.driver.schedule import Schedule
from lakelogic.driver.summary import Outcome
from lakelogic.driver.watching import Nobody, Watch
from lakelogic.driver.windows import Window
from lakelogic.driver.working import outcome_of
from lakelogic.errors import LakeLogicError, Place

_LAYERS = ("bronze", "silver", "gold", "silver", "bronze", "gold")
_NAMES = tuple(f"{layer}_{number}" for number, layer in enumerate(_LAYERS))
_NODES = {
    name: Node(load_text(f"dataset: {name}\nlayer: {name.split('_')[0]}\n"), Listed(Path(name), Place(name)))
    for name in _NAMES
}

# Each contract may need those before it in the list, whatever their layers.
_EDGES = st.tuples(*(st.sets(st.sampled_from(_NAMES[:n])) if n else st.just(set()) for n in range(len(_NAMES))))


@settings(deadline=None, max_examples=60)
@given(_EDGES, st.sets(st.sampled_from(_NAMES)), st.integers(1, 4))
def test_what_needs_a_failed_contract_is_blocked_and_only_that(
    edges: tuple[set[str], ...], failing: set[str], workers: int
) -> None:
    graph = Graph(_NODES, {n: dict.fromkeys(sorted(up), "upstream") for n, up in zip(_NAMES, edges, strict=True)})
    ended: list[str] = []

    def work(name: str, watch: Watch) -> Outcome:
        assert all(upstream in ended for upstream in graph.upstreams[name])
        if name in failing:
            raise LakeLogicError("no")
        return outcome_of(_NODES[name], Window(), "succeeded", "")

    schedule = Schedule(
        graph,
        frozenset(_NAMES),
        Window(),
        lambda name: None,
        work,
        lambda outcome: ended.append(outcome.contract),
        Nobody(),
        workers=workers,
    )
    told = {outcome.contract: outcome.status for outcome in schedule.run()}
    blocked = set().union(*(graph.descendants(name) for name in failing if told[name] == "failed"), set())
    assert {name for name, status in told.items() if status == "blocked"} == blocked
    assert {name for name, status in told.items() if status == "failed"} == failing - blocked
    assert set(ended) == set(_NAMES)
