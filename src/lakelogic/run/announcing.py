"""A run of a contract, announced to whoever follows lineage."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime

from lakelogic.errors import LakeLogicError, RunStopped
from lakelogic.observe.lineage.events import PIPELINE, Asserted, Ended, Events, EventType, Parent, run_uuid
from lakelogic.observe.lineage.sending import sender_of
from lakelogic.plan.model import Plan
from lakelogic.project import Project
from lakelogic.run.result import RunResult
from lakelogic.state.claims import Claim


@contextmanager
def announced(
    project: Project, plan: Plan, claim: Claim, stopped: Callable[[], bool]
) -> Iterator[Callable[[RunResult], None]]:
    """Around the work of a run: its beginning and its end are told, also if it raises or was stopped from outside."""
    sender = sender_of(project)
    came_to: list[RunResult] = []
    if sender is None:
        yield came_to.append
        return
    events = Events(sender.namespace, claim.run_id, _parent(sender.namespace, claim))
    sender.send(lambda: events.of_contract("START", datetime.now(UTC), plan))
    try:
        yield came_to.append
    except BaseException as error:
        aborted = stopped() or isinstance(error, (KeyboardInterrupt, RunStopped))
        kind: EventType = "ABORT" if aborted else "FAIL"
        # The text of a foreign error may hold values of the data.
        said = str(error) if isinstance(error, LakeLogicError) else type(error).__name__
        sender.send(lambda: events.of_contract(kind, datetime.now(UTC), plan, Ended(error=said)))
        raise
    sender.send(lambda: events.of_contract("COMPLETE", datetime.now(UTC), plan, _ended(plan, came_to[0])))


def _parent(namespace: str, claim: Claim) -> Parent | None:
    """The run of the driver, else that of whoever has started this process."""
    if claim.pipeline_run_id != claim.run_id:
        return Parent(namespace, PIPELINE, run_uuid(claim.pipeline_run_id))
    return Parent.of_process()


def _ended(plan: Plan, result: RunResult) -> Ended:
    rows = {plan.target.location: result.counts.good}
    if plan.quarantine is not None:
        rows[plan.quarantine.location] = result.counts.quarantined
    return Ended(rows, result.counts.source, [*_row_rules(plan, result), *_dataset_rules(result)])


def _row_rules(plan: Plan, result: RunResult) -> Iterator[Asserted]:
    columns = {check.name: check.columns for check in plan.checks}
    for rule in result.rules:
        about = columns.get(rule.name, ())
        column = about[0] if len(about) == 1 else None
        found = None if rule.failed is None else str(rule.failed)
        yield Asserted(rule.name, rule.status == "passed", rule.category, rule.severity, column, found)


def _dataset_rules(result: RunResult) -> Iterator[Asserted]:
    for rule in result.dataset_rules:
        found = None if rule.value is None else str(rule.value)
        yield Asserted(rule.name, rule.status == "passed", rule.category, rule.severity, None, found)
