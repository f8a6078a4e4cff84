"""One run as a straight line: judge, audit, split, quarantine, publish, account."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from time import monotonic
from typing import Any

from lakelogic.engines.base import Committed, Engine, Stamp
from lakelogic.errors import GateClosed
from lakelogic.observe.traces import span
from lakelogic.plan.model import CheckPlan, Plan, Role, TablePlan
from lakelogic.plan.names import ORIGIN
from lakelogic.run.again import AgainInput
from lakelogic.run.approval import ApprovalGate
from lakelogic.run.auditing import Audited, Auditor
from lakelogic.run.judging import POST, READ, SPLIT, Judge, Judged, Probes, changes_rows, points_needed, step_point
from lakelogic.run.publishing import Publisher, patiently
from lakelogic.run.result import Counts, RuleResult, StepCount
from lakelogic.run.tallying import Tally
from lakelogic.state.claims import Claim

Progress = Callable[[str], None]


@dataclass
class Outcome:
    """What an execution found and wrote."""

    counts: Counts
    rules: tuple[RuleResult, ...]
    audited: Audited
    steps: tuple[StepCount, ...]
    target: Committed
    quarantine: Committed | None
    frames: tuple[Any, Any]
    secondary: tuple[Committed, ...] = ()
    timings: dict[str, float] = field(default_factory=dict)


class Execution:
    """Carries out a plan on an engine, under a claim."""

    def __init__(
        self,
        plan: Plan,
        engine: Engine[Any],
        claim: Claim,
        relations: Mapping[str, Any],
        keys: Any,
        pin: Callable[[str], str],
        progress: Progress,
        gate: ApprovalGate | None = None,
        again: AgainInput | None = None,
    ) -> None:
        self._plan = plan
        self._again = again
        self._engine = engine
        self._claim = claim
        self._pin = pin
        self._links = relations
        self._judge = Judge(plan, engine, relations, keys, pin)
        self._auditor = Auditor(plan, engine, relations, pin)
        self._publisher = Publisher(plan, engine, pin, self._write)
        self._tally = Tally(plan, engine, pin, observing=claim.attempt == 1 and again is None)
        self._progress = progress
        self._gate = gate
        self.timings: dict[str, float] = {}
        # An earlier attempt may have written, whatever becomes of this one.
        self.began_to_write = claim.attempt > 1

    def run(self, source: Any, rows_known: int | None, rows_before: int | None = None) -> Outcome:
        """Judge every row once, and write both kinds; `rows_before` were read where external logic made the source.

        Raises:
            GateClosed: a gate stopped the run before anything was published.
            ApprovalNeeded: somebody must approve it first.
            WriteError: a table could not be written.
        """
        plan = self._plan
        quiet = Probes(self._engine, frozenset(), observing=False)
        counted = self._probes(rows_known)
        judged = self._judge.judge(source, quiet)
        counting = self._judge.judge(source, counted) if counted.wanted else judged
        held = plan.keeps_rows
        good = self._engine.hold(counting.good) if held else counting.good
        with self._timed("auditing"):
            self._auditor.stop_on_bad_rows(judged)
            audited = self._auditor.audit(good if held else judged.good)
        if audited.failed and plan.audits_block_write:
            failed = ", ".join(rule.name for rule in audited.failed)
            raise GateClosed(f"dataset rules failed: {failed}.", cure="Nothing was written.")
        published = self._judge.published(good)
        self._publisher.stop_on_deletes(published)
        if self._gate is not None:
            self._gate.ask(plan, self._claim, lambda: self._auditor.ratio(judged))
        with self._timed("writing quarantine"):
            quarantine = self._write_quarantine(judged)
        with self._timed("writing target"):
            # The target comes last: a run whose target is written has written everything.
            secondary = tuple(self._publisher.copied(role, table, published) for role, table in plan.others)
            target = self._publisher.publish(published)
        with self._timed("accounting"):
            counts, steps = self._counts(counted, rows_known, target, quarantine, audited)
            if rows_before is not None:
                counts, steps = _with_external_logic(rows_before, counts, steps)
            rules = self._rules(counted, quarantine)
        shown = self._publisher.shown(self._judge.published(judged.good)), self._bad_frame(judged)
        return Outcome(counts, rules, audited, steps, target, quarantine, shown, secondary, self.timings)

    def _probes(self, rows_known: int | None) -> Probes:
        wanted = points_needed(self._plan, rows_known is not None)
        return Probes(self._engine, wanted, observing=self._engine.can.observe and self._target_is_new())

    def _target_is_new(self) -> bool:
        """A target that an earlier attempt has written is not written again, so nothing passes to be observed."""
        return self._claim.attempt == 1 or self._engine.find_commit(self._plan.target, self._claim.run_id) is None

    def _write_quarantine(self, judged: Judged) -> Committed | None:
        if self._plan.quarantine is None or not (judged.bad or self._again):
            return None
        table = self._plan.quarantine
        return patiently(lambda: self._write(table, self._for_quarantine(judged), "quarantine"))

    def _for_quarantine(self, judged: Judged) -> Any:
        rows = self._judge.quarantined(judged) if judged.bad else None
        return (
            self._tally.watched(rows)
            if self._again is None
            else self._again.resolved(self._engine, rows, self._claim.run_id)
        )

    def _quarantined(self, quarantine: Committed | None) -> int | None:
        """How many rows failed: as many as were written, or as the table tells where others were resolved with them."""
        if quarantine is None or self._plan.quarantine is None:
            return 0
        if self._again is None or self._plan.questions.quarantined is None:
            return 0 if self._again else quarantine.rows
        stored = self._engine.read_back(self._plan.quarantine, quarantine.version)
        question = self._pin(self._plan.questions.quarantined)
        return int(str(self._engine.measure(question, {"source": stored})["rows"]))

    def _write(self, table: TablePlan, frame: Any, role: Role) -> Committed:
        if self._claim.attempt > 1 and (done := self._engine.find_commit(table, self._claim.run_id)):
            return done
        stamp = Stamp(
            app_id=self._plan.writer(role),
            sequence=self._claim.sequence,
            run_id=self._claim.run_id,
            fingerprint=self._plan.fingerprint,
            input_digest=self._claim.input.digest,
        )
        self.began_to_write = True
        stored = self._engine.select(table.stored, {"source": frame}) if table.stored else frame
        return self._engine.write(table, stored, stamp)

    def _bad_frame(self, judged: Judged) -> Any:
        """Bad rows as they were read; where no row can fail, none of the good rows."""
        if not judged.bad:
            return self._engine.select("SELECT * FROM source WHERE false", {"source": judged.good})
        bad = self._engine.union([frame for _, frame in judged.bad])
        return self._engine.without(bad, [column.name for column in ORIGIN])

    def _counts(
        self, probes: Probes, rows_known: int | None, target: Committed, quarantine: Committed | None, audited: Audited
    ) -> tuple[Counts, tuple[StepCount, ...]]:
        plan = self._plan
        source = rows_known if rows_known is not None else probes.read(READ)["rows"]
        steps: list[StepCount] = []
        totals = {"filtered": 0, "deduplicated": 0, "expanded": 0}
        rows = source
        for step in plan.pre.steps:
            if changes_rows(step):
                after = probes.read(step_point(step))["rows"]
                steps.append(StepCount(step.name, rows, after))
                _attribute(totals, step.effect, rows, after)
                rows = after
        good = audited.good_rows if audited.good_rows is not None else target.rows
        bad = self._quarantined(quarantine)
        good_at_split, bad_at_split = good, bad
        if any(changes_rows(step) for step in plan.post.steps):
            good_at_split = probes.read(SPLIT)["rows"]
            rows = good_at_split
            for step in plan.post.steps:
                if changes_rows(step):
                    after = probes.read(step_point(step))["rows"]
                    steps.append(StepCount(step.name, rows, after))
                    rows = after
            bad_at_split = self._bad_at_split(quarantine)
        counts = Counts(
            source,
            totals["expanded"],
            good,
            bad,
            totals["filtered"],
            totals["deduplicated"],
            good_at_split,
            bad_at_split,
        )
        return counts, tuple(steps)

    def _bad_at_split(self, quarantine: Committed | None) -> int | None:
        """Rows that failed before the split, where others failed after it."""
        if quarantine is None or self._plan.quarantine is None or not self._plan.post.splits:
            return self._quarantined(quarantine)
        if (question := self._plan.questions.failed_before) is None:
            return 0
        stored = self._engine.read_back(self._plan.quarantine, quarantine.version)
        return int(str(self._engine.measure(self._pin(question), {"source": stored})["rows"]))

    def _rules(self, probes: Probes, quarantine: Committed | None) -> tuple[RuleResult, ...]:
        """Every rule that was declared, each with the rows that failed it."""
        failed, samples = self._tally.read(quarantine)
        warned: dict[str, int] = {}
        for point, stage in ((SPLIT, self._plan.pre), (POST, self._plan.post)):
            if stage.warnings:
                seen = probes.read(point)
                warned |= {check.name: seen[f"w{i}"] for i, check in enumerate(stage.warnings)}
        return tuple(
            _rule(check, {**failed, **warned}.get(check.name, 0), samples.get(check.name))
            for check in self._plan.checks
        )

    @contextmanager
    def _timed(self, what: str) -> Iterator[None]:
        self._progress(what)
        began = monotonic()
        try:
            with span(what):
                yield
        finally:
            self.timings[what] = monotonic() - began


def _with_external_logic(
    read: int, counts: Counts, steps: tuple[StepCount, ...]
) -> tuple[Counts, tuple[StepCount, ...]]:
    """The accounts with the contract's own code as their first step."""
    made = counts.source or 0
    before = StepCount("external logic", read, made)
    expanded, filtered = (counts.expanded or 0) + max(made - read, 0), (counts.filtered or 0) + max(read - made, 0)
    return replace(counts, source=read, expanded=expanded, filtered=filtered), (before, *steps)


def _attribute(totals: dict[str, int], effect: str | None, before: int, after: int) -> None:
    if after > before:
        totals["expanded"] += after - before
    else:
        totals["deduplicated" if effect == "deduplicated" else "filtered"] += before - after


def _rule(check: CheckPlan, failed: int, sample: Mapping[str, object] | None) -> RuleResult:
    return RuleResult(
        name=check.name,
        status="failed" if failed else "passed",
        failed=failed,
        category=check.category,
        severity=check.severity,
        stage=check.stage,
        message=check.message,
        sample=sample if failed else None,
    )
