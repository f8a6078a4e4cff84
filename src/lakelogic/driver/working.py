"""One contract of the driver: run it, again where that can help, for no longer than it may take."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from threading import Timer
from time import monotonic

from loguru import logger
from tenacity import RetryCallState, Retrying, retry_if_exception, sleep_using_event, stop_after_attempt
from tenacity.wait import wait_exponential

from lakelogic.driver.nodes import Node
from lakelogic.driver.summary import Outcome, OutcomeStatus
from lakelogic.driver.watching import Watch
from lakelogic.driver.windows import Window
from lakelogic.errors import LakeLogicError, SourceError
from lakelogic.run.processor import DataProcessor
from lakelogic.run.result import RunResult
from lakelogic.wording import counted

# Strategies under which rows that were written before may be written again.
_REPEATABLE = ("overwrite", "merge", "scd2")
TIMED_OUT = "it took longer than"


@dataclass(frozen=True)
class Patience:
    """How often a contract is tried, how long it waits before the next time, and how long it may take."""

    retries: int = 0
    backoff_seconds: float = 1.0
    longest_wait_seconds: float = 60.0
    timeout_seconds: float | None = None


def run_node(
    node: Node,
    window: Window,
    watch: Watch,
    patience: Patience,
    make: Callable[[Node, Watch], DataProcessor],
    *,
    force: bool = False,
) -> Outcome:
    """Run a contract for a window; what goes wrong is the outcome."""
    started, began = datetime.now(UTC), monotonic()
    tried = Retrying(
        retry=retry_if_exception(lambda error: _can_help(error) and watch.why is None),
        stop=stop_after_attempt(1 + patience.retries),
        wait=wait_exponential(multiplier=patience.backoff_seconds, max=patience.longest_wait_seconds),
        sleep=sleep_using_event(watch.stopped),
        before_sleep=lambda state: _tell_retry(node, state),
        reraise=True,
    )
    limit = node.listed.timeout_seconds or patience.timeout_seconds
    try:
        with _TimeLimit(limit, watch):
            result: RunResult = tried(lambda: _run(make(node, watch), watch, window, force=force))
        outcome = _ended(node, window, result)
    except LakeLogicError as error:
        outcome = _failed(node, window, error, watch)
    attempts = int(tried.statistics.get("attempt_number", 1))
    return replace(outcome, started=started, seconds=monotonic() - began, attempts=attempts)


def plan_node(
    node: Node, window: Window, watch: Watch, make: Callable[[Node, Watch], DataProcessor], waits_for: bool
) -> Outcome:
    """What a run of the contract would read; where its source is made by another one first, that is said."""
    began = monotonic()
    try:
        preview = make(node, watch).preview(days=window.days)
        reads = counted(len(preview.input.files), "file") if preview.input.kind == "files" else preview.input.location
        reason = "nothing new" if preview.nothing_new else f"reads {reads}: {preview.plan.read.reason}"
        outcome = outcome_of(node, window, "planned", reason)
    except SourceError as error:
        if not waits_for:
            return _failed(node, window, error, watch)
        outcome = outcome_of(node, window, "planned", "what it reads is made by those before it")
    except LakeLogicError as error:
        outcome = _failed(node, window, error, watch)
    return replace(outcome, seconds=monotonic() - began)


def outcome_of(node: Node, window: Window, status: OutcomeStatus, reason: str) -> Outcome:
    """An outcome with the names of its contract."""
    return Outcome(node.name, node.layer, node.entity, status, reason, window.label)


def defect(node: Node, window: Window, error: BaseException, watch: Watch) -> Outcome:
    """A contract that ended in an error nobody foresaw; its text may hold values of the data."""
    if watch.why is not None:
        return _failed(node, window, LakeLogicError(watch.why), watch)
    return _failed(node, window, LakeLogicError(f"unexpected {type(error).__name__}: a defect of LakeLogic."), watch)


def _run(processor: DataProcessor, watch: Watch, window: Window, *, force: bool) -> RunResult:
    watch.follow(processor)
    if window.again and not _is_made_anew(processor):
        return processor.run_source(reprocess_from=window.start, reprocess_to=window.end)
    return processor.run_source(days=window.days, force=force)


def _is_made_anew(processor: DataProcessor) -> bool:
    """Whether every run of a contract reads all of the source and writes it anew, so that no part is left out."""
    contract = processor.contract
    whole = contract.source is None or contract.source.load_mode == "full"
    return whole and contract.model.materialization.strategy in _REPEATABLE


def _can_help(error: BaseException) -> bool:
    return isinstance(error, LakeLogicError) and error.retry_can_help


def _tell_retry(node: Node, state: RetryCallState) -> None:
    error = state.outcome.exception() if state.outcome else None
    wait = state.next_action.sleep if state.next_action else 0.0
    logger.warning("'{}' is tried again in {:.0f} s: {}", node.name, wait, error)


def _ended(node: Node, window: Window, result: RunResult) -> Outcome:
    status: OutcomeStatus = "no_new_data" if result.status == "no_new_data" else "succeeded"
    blocks = "; ".join(result.blocking) or None
    outcome = outcome_of(node, window, status, blocks or "; ".join(result.export_failures) or result.reason)
    told = f"'{node.name}': {blocks}" if blocks else None
    # Frames hold on to their session; of many contracts only what happened is kept.
    kept = replace(result, frames=None, handed=None, look=None)
    return replace(outcome, result=kept, blocks=told, exit_code=result.exit_code)


def _failed(node: Node, window: Window, error: LakeLogicError, watch: Watch) -> Outcome:
    if watch.why is not None and not watch.why.startswith(TIMED_OUT):
        outcome = outcome_of(node, window, "interrupted", watch.why)
        return replace(outcome, exit_code=130, blocks=f"'{node.name}' was interrupted")
    status: OutcomeStatus = "awaiting_approval" if error.exit_code == 3 else "failed"
    reason = watch.why or str(error).replace("\n", "; ")
    word = "awaits approval" if status == "awaiting_approval" else "failed"
    outcome = outcome_of(node, window, status, reason)
    return replace(outcome, exit_code=error.exit_code, blocks=f"'{node.name}' {word}")


class _TimeLimit:
    """Stops a contract that takes too long."""

    def __init__(self, seconds: float | None, watch: Watch) -> None:
        self._timer = Timer(seconds, watch.stop, [f"{TIMED_OUT} {seconds:g} s"]) if seconds else None

    def __enter__(self) -> None:
        if self._timer is not None:
            self._timer.daemon = True
            self._timer.start()

    def __exit__(self, *_: object) -> None:
        if self._timer is not None:
            self._timer.cancel()
