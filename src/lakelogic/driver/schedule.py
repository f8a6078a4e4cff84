"""Runs the nodes of a graph: side by side where they are independent, never before what they need."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextvars import copy_context
from dataclasses import dataclass, field, replace

from lakelogic.driver.graph import Graph
from lakelogic.driver.summary import Outcome, OutcomeStatus
from lakelogic.driver.watching import Listener, Watch
from lakelogic.driver.windows import Window
from lakelogic.driver.working import defect, outcome_of

INTERRUPTED = "interrupted"


@dataclass
class Schedule:
    """One pass over the graph for one window.

    `settle` may tell the outcome of a contract that need not or must not run; `work` runs one. Contracts of a layer
    begin when those of the layers before have ended, however they ended; what failed holds back only what needs it.
    """

    graph: Graph
    chosen: frozenset[str]
    window: Window
    settle: Callable[[str], Outcome | None]
    work: Callable[[str, Watch], Outcome]
    keep: Callable[[Outcome], None]
    listener: Listener
    workers: int = 4
    most_failures: int = 0
    outcomes: dict[str, Outcome] = field(default_factory=dict)
    interrupted: bool = False
    _waiting: list[str] = field(default_factory=list)
    _running: dict[Future[Outcome], tuple[str, Watch]] = field(default_factory=dict)
    _failures: int = 0

    def run(self) -> list[Outcome]:
        """Every chosen contract's outcome, in the order of the graph. Ctrl-C ends it with what there is."""
        order = [name for name in self.graph.order if name in self.chosen]
        self._waiting = list(order)
        self.listener.planned([self.graph.nodes[name] for name in order], self.graph.upstreams, self.window.label)
        with ThreadPoolExecutor(self.workers, thread_name_prefix="lakelogic") as pool:
            try:
                while self._waiting or self._running:
                    self._begin(pool)
                    self._collect(wait(self._running, return_when=FIRST_COMPLETED).done)
            except KeyboardInterrupt:
                self._interrupt(order)
        return [self.outcomes[name] for name in order]

    def _begin(self, pool: ThreadPoolExecutor) -> None:
        """Settle or start everything that can be; what is settled may free others."""
        for name in list(self._waiting):
            unsettled = {*self._waiting, *(other for other, _ in self._running.values())}
            if self.graph.ranks[name] > min(self.graph.ranks[other] for other in unsettled):
                return
            if not unsettled.isdisjoint(self.graph.upstreams[name]):
                continue
            if (outcome := self._verdict(name)) is not None:
                self._waiting.remove(name)
                self._end(outcome)
            elif len(self._running) < self.workers:
                self._waiting.remove(name)
                node = self.graph.nodes[name]
                watch = Watch(node, self.listener)
                self.listener.began(node, self.window.label)
                # The span of the pipeline is part of the context.
                self._running[pool.submit(copy_context().run, self.work, name, watch)] = name, watch

    def _verdict(self, name: str) -> Outcome | None:
        if self.most_failures and self._failures >= self.most_failures:
            return self._outcome(name, "skipped", f"{self._failures} contracts have failed one after another")
        for upstream in self.graph.upstreams[name]:
            if (before := self.outcomes.get(upstream)) is not None and before.blocks:
                # What is further down is told of the same cause.
                cause = before.reason if before.status == "blocked" else f"upstream {before.blocks}"
                return replace(self._outcome(name, "blocked", cause), blocked_by=before.blocked_by or upstream)
        return self.settle(name)

    def _outcome(self, name: str, status: OutcomeStatus, reason: str) -> Outcome:
        outcome = outcome_of(self.graph.nodes[name], self.window, status, reason)
        return replace(outcome, exit_code=1, blocks=f"'{name}' did not run")

    def _collect(self, done: Iterable[Future[Outcome]]) -> None:
        for future in done:
            name, watch = self._running.pop(future)
            error = future.exception()
            self._end(future.result() if error is None else defect(self.graph.nodes[name], self.window, error, watch))

    def _end(self, outcome: Outcome) -> None:
        self.outcomes[outcome.contract] = outcome
        if outcome.status == "failed":
            self._failures += 1
        elif outcome.status in ("succeeded", "no_new_data"):
            self._failures = 0
        self.keep(outcome)
        self.listener.ended(outcome)

    def _interrupt(self, order: Sequence[str]) -> None:
        """Stop what is at work, wait for it, and name what never began."""
        self.interrupted = True
        for _, watch in self._running.values():
            watch.stop(INTERRUPTED)
        self._collect(wait(self._running).done)
        for name in order:
            if name not in self.outcomes:
                outcome = outcome_of(self.graph.nodes[name], self.window, "interrupted", "it had not begun")
                self._end(replace(outcome, exit_code=130))
