"""A whole lakehouse with one call: contracts in order, side by side, window after window."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path

from loguru import logger

from lakelogic.contract.yaml_cache import remembered
from lakelogic.driver.announcing import announced
from lakelogic.driver.freshness import UpstreamLog, readiness, unmade
from lakelogic.driver.graph import Graph, build_graph
from lakelogic.driver.nodes import Lakehouse, Node, Selection, open_lakehouse, project_of
from lakelogic.driver.resume import Progress, open_progress
from lakelogic.driver.schedule import Schedule
from lakelogic.driver.summary import Outcome, Summary
from lakelogic.driver.watching import Listener, Nobody, Watch
from lakelogic.driver.windows import Dates, Window, windows_of
from lakelogic.driver.working import Patience, outcome_of, plan_node, run_node
from lakelogic.errors import ContractError, ContractInvalid, nearest
from lakelogic.run.approval import ApprovalAsk
from lakelogic.run.begin import new_run_id
from lakelogic.run.processor import DataProcessor
from lakelogic.run.references import References
from lakelogic.run.skipping import record_skipped


@dataclass(frozen=True)
class Settings:
    """How the contracts that are chosen are run."""

    engine: str | None = None
    master: str | None = None
    max_workers: int = 4
    dates: Dates = field(default_factory=Dates)
    force: bool = False
    dry_run: bool = False
    state_path: Path | None = None
    resume: bool = False
    patience: Patience = field(default_factory=Patience)
    max_consecutive_failures: int = 0
    cache_references: bool = False
    approval: ApprovalAsk = field(default_factory=ApprovalAsk)
    verbose: bool = False


def drive(selection: Selection, settings: Settings, listener: Listener | None = None) -> Summary:
    """Run the contracts that are chosen, and tell how each fared.

    Raises:
        UsageError: nothing is chosen, or the dates are wrong.
        ContractInvalid: a registry or a contract is wrong, or contracts need each other in a circle.
        StateError: the state file can't be used.
    """
    started = datetime.now(UTC)
    windows = windows_of(settings.dates, started.date())
    project = project_of(selection)
    with remembered(project.state_dir / "cache" / "contracts.json", save=not settings.dry_run):
        lakehouse = open_lakehouse(selection)
    graph = build_graph(lakehouse.nodes)
    progress, said = open_progress(settings.state_path, resume=settings.resume)
    driver = _Driver(lakehouse, graph, settings, progress, listener or Nobody(), new_run_id(started))
    if not selection.continue_on_error:
        driver.refuse_unlisted()
    if said:
        driver.note(said)
    with announced(None if settings.dry_run else project, driver.pipeline_run_id) as ended:
        outcomes = [*driver.broken(windows[0]), *driver.run(windows, go_on=selection.continue_on_error)]
        summary = Summary(
            driver.pipeline_run_id,
            started,
            datetime.now(UTC),
            settings.engine,
            tuple(outcomes),
            tuple(driver.notes),
            driver.references if driver.references["read"] else {},
            interrupted=driver.interrupted,
        )
        ended(summary)
    if not settings.dry_run:
        progress.end(complete=summary.exit_code == 0)
    return summary


@dataclass
class _Driver:
    """One run of the driver."""

    lakehouse: Lakehouse
    graph: Graph
    settings: Settings
    progress: Progress
    listener: Listener
    pipeline_run_id: str
    notes: list[str] = field(default_factory=list)
    interrupted: bool = False
    references: Counter[str] = field(default_factory=Counter)
    _cache: References = field(default_factory=References)
    _log: UpstreamLog = field(default_factory=UpstreamLog)
    _warnings: dict[str, tuple[str, ...]] = field(default_factory=dict)

    def note(self, text: str) -> None:
        self.notes.append(text)
        logger.warning(text)

    def refuse_unlisted(self) -> None:
        """
        Raises:
            ContractInvalid: a chosen contract needs one that no registry lists and no run log knows.
        """
        problems = [
            ContractError(
                f"'{name}' needs '{upstream}', which is unknown.",
                cure=_cure(upstream, self.graph.nodes),
                place=self.graph.nodes[name].contract.place("upstream"),
            )
            for name in self.lakehouse.chosen
            for upstream in self._unknown(name)
        ]
        if problems:
            raise ContractInvalid(problems)

    def _unknown(self, name: str) -> list[str]:
        """What a contract needs and neither a registry nor the run log knows."""
        known = self._log.successes(self.graph.nodes[name].contract.project.state_dir) or {}
        return [upstream for upstream in self.graph.unlisted.get(name, ()) if upstream not in known]

    def broken(self, window: Window) -> Iterable[Outcome]:
        """Contracts that can't be loaded, where the others run nevertheless."""
        for path, error in self.lakehouse.broken.items():
            reason = str(error).replace("\n", "; ")
            yield Outcome(path.stem, None, path.stem, "failed", reason, window.label, exit_code=error.exit_code)

    def run(self, windows: Iterable[Window], *, go_on: bool) -> Iterable[Outcome]:
        """Every window after the one before; the first that fails is the last, unless the others go on."""
        failed: Window | None = None
        for window in windows:
            if failed is not None and not go_on:
                self.note(f"windows from {window.label} on did not run, because that of {failed.label} failed")
                return
            schedule = self._schedule(window)
            outcomes = schedule.run()
            yield from outcomes
            self._forget_references()
            self.interrupted = schedule.interrupted
            if self.interrupted:
                return
            failed = window if any(outcome.exit_code for outcome in outcomes) else failed

    def _forget_references(self) -> None:
        """The next window may find them changed."""
        self.references.update(read=self._cache.reads, saved=self._cache.saved)
        self._cache.close()
        self._cache = References()

    def _schedule(self, window: Window) -> Schedule:
        return Schedule(
            self.graph,
            frozenset(self.lakehouse.chosen),
            window,
            lambda name: self._settled(name, window),
            lambda name, watch: self._work(name, watch, window),
            self._keep,
            self.listener,
            workers=self.settings.max_workers,
            most_failures=self.settings.max_consecutive_failures,
        )

    def _settled(self, name: str, window: Window) -> Outcome | None:
        """The outcome of a contract that need not run, or must not."""
        node = self.graph.nodes[name]
        if (why := self.lakehouse.passed_over.get(name)) is not None:
            return outcome_of(node, window, "passed_over", why)
        if (run_id := self.progress.has(name, window.label)) is not None:
            return outcome_of(node, window, "done_before", f"it succeeded in run {run_id}")
        if unknown := self._unknown(name):
            return self._skipped(node, window, f"it needs '{unknown[0]}', which is unknown or can't be loaded")
        if self.settings.dry_run:
            return None
        if (why := unmade(self._read_elsewhere(name))) is not None:
            return self._skipped(node, window, why)
        if not window.asks_upstreams:
            return None
        ready = readiness(node, self._elsewhere(name), self._log, datetime.now(UTC))
        if ready.skip is not None:
            return self._skipped(node, window, ready.skip)
        self._warnings[name] = ready.warnings
        for warning in ready.warnings:
            logger.warning("'{}': {}", name, warning)
        return None

    def _skipped(self, node: Node, window: Window, why: str) -> Outcome:
        return replace(outcome_of(node, window, "skipped", why), exit_code=1, blocks=f"'{node.name}' was skipped")

    def _read_elsewhere(self, name: str) -> dict[str, Node]:
        """The contracts whose tables a contract reads, and which do not run in this invocation."""
        return {
            each: self.graph.nodes[each]
            for each, because in self.graph.reasons[name].items()
            if each not in self.lakehouse.chosen and any(word.startswith(("source", "link ")) for word in because)
        }

    def _elsewhere(self, name: str) -> dict[str, Node | None]:
        """The upstreams that do not run in this invocation; those that do count by their outcome."""
        chosen = set(self.lakehouse.chosen)
        listed: dict[str, Node | None] = {
            each: self.graph.nodes[each]
            for each, because in self.graph.upstreams[name].items()
            if each not in chosen and because == "upstream"
        }
        return listed | dict.fromkeys(self.graph.unlisted.get(name, ()))

    def _work(self, name: str, watch: Watch, window: Window) -> Outcome:
        node = self.graph.nodes[name]
        if self.settings.dry_run:
            return plan_node(node, window, watch, self._processor, bool(self.graph.upstreams[name]))
        outcome = run_node(node, window, watch, self.settings.patience, self._processor, force=self.settings.force)
        return replace(outcome, warnings=self._warnings.get(name, ()))

    def _processor(self, node: Node, watch: Watch) -> DataProcessor:
        return DataProcessor(
            node.contract,
            self.settings.engine,
            master=self.settings.master,
            pipeline_run_id=self.pipeline_run_id,
            verbose=self.settings.verbose,
            progress=watch,
            approval=self.settings.approval,
            references=self._cache if self._shares(node) else None,
        )

    def _shares(self, node: Node) -> bool:
        return self.settings.cache_references or node.contract.model.metadata.cache_reference_links

    def _keep(self, outcome: Outcome) -> None:
        """Record what never became a run, and what need not run again."""
        if self.settings.dry_run:
            return
        if outcome.status in ("skipped", "blocked"):
            logger.warning("{} '{}': {}", outcome.status.capitalize(), outcome.contract, outcome.reason)
            node = self.graph.nodes[outcome.contract]
            record_skipped(node.contract, outcome.status, outcome.reason, self.pipeline_run_id)
        self.progress.add(outcome)


def _cure(unknown: str, known: Iterable[str]) -> str:
    close = nearest(unknown, known)
    return f"Did you mean '{close}'?" if close else "Name the registry that lists it as well, or run it first."
