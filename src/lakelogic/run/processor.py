"""`DataProcessor`: a contract, ready to run."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from loguru import logger

from lakelogic.contract import LoadedContract, load_contract, load_text
from lakelogic.engines.base import Engine
from lakelogic.engines.opening import EngineSettings, open_engine
from lakelogic.errors import LakeLogicError, SourceError
from lakelogic.observe.service_levels import judge_service_levels
from lakelogic.plan.model import Plan
from lakelogic.run.begin import Ask, Beginning, Input, require_keys, require_supported
from lakelogic.run.execute import Execution, Outcome
from lakelogic.run.links import ReadLink, read_links
from lakelogic.run.result import Counts, RunResult
from lakelogic.run.tell import log_row, tell
from lakelogic.sources.discover import SourceSpec
from lakelogic.sql.render import pin, to_spark
from lakelogic.state.claims import Claim
from lakelogic.state.runlog import RunLog

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

Progress = Callable[[str], None]


class DataProcessor:
    """Runs a contract from end to end.

    Example:
        >>> result = DataProcessor("contract.yaml").run()  # doctest: +SKIP
        >>> good, bad = result  # doctest: +SKIP
    """

    def __init__(
        self,
        contract: str | Path | LoadedContract,
        engine: str | None = None,
        *,
        spark: SparkSession | None = None,
        environment: str | None = None,
        overrides: Mapping[str, object] | None = None,
        master: str | None = None,
        pipeline_run_id: str | None = None,
        verbose: bool = False,
        progress: Progress | None = None,
    ) -> None:
        """Load the contract.

        Raises:
            ContractInvalid: with every problem of the file.
        """
        if isinstance(contract, LoadedContract):
            self.contract = contract
        else:
            self.contract = load_contract(contract, overrides=overrides, environment=environment)
        self._settings = EngineSettings(
            self.contract.project.engine_name(engine),
            session=spark,
            master=master,
            spark=self.contract.project.spark,
            warehouse=self.contract.project.root / "warehouse",
            verbose=verbose,
        )
        self._pipeline_run_id = pipeline_run_id
        self._progress = progress or (lambda what: None)
        self.last_result: RunResult | None = None

    def run(self, frame: Any = None, *, batch_id: str | None = None, force: bool = False) -> RunResult:
        """Read, judge, write and log. A frame takes the place of the source.

        Raises:
            LakeLogicError: what stopped the run; the target is as it was, or the next run completes it.
        """
        return self._run(Ask(frame=frame, batch_id=batch_id, force=force, pipeline_run_id=self._pipeline_run_id))

    def run_source(self, source: str | None = None, *, target: str | None = None, force: bool = False) -> RunResult:
        """The same with another source, and another target if one is given."""
        ask = Ask(source=source, target=target, force=force, pipeline_run_id=self._pipeline_run_id)
        return self._run(ask)

    def plan(self, *, source: str | None = None, target: str | None = None) -> Plan:
        """What a run would do now. Reads schemas and lists files; writes nothing."""
        require_supported(self.contract)
        beginning = Beginning(self.contract, Ask(source=source, target=target), require_keys(self.contract))
        spec, found = beginning.input()
        engine = open_engine(self._settings, self._progress)
        try:
            plan, _, _ = self._planned(beginning, spec, found, engine)
        finally:
            engine.close()
        return plan

    def _run(self, ask: Ask) -> RunResult:
        require_supported(self.contract)
        keys = require_keys(self.contract)
        beginning = Beginning(self.contract, ask, keys)
        last = beginning.claims.last()
        held = self._take_over(beginning, ask)
        spec, found = beginning.input(held.input if held else None)
        if found.is_empty:
            return self._nothing_new(beginning, found, found.read.reason, spec)
        engine = open_engine(self._settings, self._progress)
        try:
            plan, found, links = self._planned(beginning, spec, found, engine)
            if held is not None:
                beginning, plan, found, links = self._as_begun(held, beginning, spec, plan, found, links, engine)
            elif (earlier := self._already(beginning, plan, found)) is not None:
                reason = f"this input was committed by run {earlier} under the same plan; --force writes it again"
                return self._nothing_new(beginning, found, reason, spec, plan)
            claim = held or beginning.claim(plan, found, engine, last)
            return self._execute(beginning, plan, found, links, claim, engine)
        finally:
            engine.close()

    def _take_over(self, beginning: Beginning, ask: Ask) -> Claim | None:
        """An unfinished run whose process is gone is finished first, on the input that it had."""
        unfinished = beginning.claims.unfinished()
        if unfinished is None:
            return None
        held = beginning.claims.hold(unfinished)
        if ask.force or unfinished.input.kind == "frame":
            beginning.claims.finish(held, "given_up")
            return None
        logger.info("Taking over run {} (attempt {})", held.run_id, held.attempt)
        return held

    def _as_begun(
        self,
        held: Claim,
        beginning: Beginning,
        spec: SourceSpec | None,
        plan: Plan,
        found: Input,
        links: Mapping[str, ReadLink],
        engine: Engine[Any],
    ) -> tuple[Beginning, Plan, Input, Mapping[str, ReadLink]]:
        """A run that has written something is finished as it was planned, even if the contract changed since."""
        tables = [table for table in (plan.quarantine, plan.target) if table is not None]
        if plan.fingerprint == held.fingerprint or not any(engine.find_commit(t, held.run_id) for t in tables):
            return beginning, plan, found, links
        file = str(self.contract.path or "contract")
        loaded = load_text(json.dumps(held.document), file=file, directory=self.contract.directory)
        before = Beginning(replace(loaded, path=self.contract.path), beginning.ask, beginning.keys)
        return before, *self._planned(before, spec, found, engine)

    def _already(self, beginning: Beginning, plan: Plan, found: Input) -> str | None:
        if plan.target.strategy != "append" or beginning.ask.force:
            return None
        return beginning.claims.has_committed(found.pinned.digest, plan.fingerprint)

    def _planned(
        self, beginning: Beginning, spec: SourceSpec | None, found: Input, engine: Engine[Any]
    ) -> tuple[Plan, Input, Mapping[str, ReadLink]]:
        self._progress("planning")
        found = beginning.shaped(spec, found, engine)
        links = read_links(beginning.loaded, engine, to_spark)
        described = {name: (link.plan, link.columns) for name, link in links.items()}
        return beginning.plan(found, engine.name, to_spark, described), found, links

    def _execute(
        self,
        beginning: Beginning,
        plan: Plan,
        found: Input,
        links: Mapping[str, ReadLink],
        claim: Claim,
        engine: Engine[Any],
    ) -> RunResult:
        secrets = beginning.keys.secret_values(plan.secrets) if beginning.keys and plan.secrets else {}
        execution = Execution(
            plan,
            engine,
            claim,
            {name: link.frame for name, link in links.items()},
            engine.keys(secrets) if secrets else None,
            lambda sql: pin(sql, started=claim.started, run_id=claim.run_id, pipeline_run_id=claim.pipeline_run_id),
            self._progress,
        )
        try:
            outcome = execution.run(self._source(found, engine, beginning.ask), found.rows)
            result = self._succeeded(plan, claim, found, outcome)
            result.counts.reconcile()
            self._commit(beginning, claim, plan, found, result)
        except BaseException as error:
            self._failed(beginning, claim, plan, found, error, written=execution.wrote)
            raise
        self.last_result = result
        tell(result)
        return result

    def _source(self, found: Input, engine: Engine[Any], ask: Ask) -> Any:
        if found.table is not None:
            return engine.read_table(found.table)
        if found.files is not None:
            return engine.read_files(found.files)
        return engine.adopt(ask.frame)

    def _succeeded(self, plan: Plan, claim: Claim, found: Input, outcome: Outcome) -> RunResult:
        ended = datetime.now(UTC)
        result = RunResult(
            run_id=claim.run_id,
            pipeline_run_id=claim.pipeline_run_id,
            contract=plan.contract,
            layer=plan.layer,
            engine=plan.engine,
            status="succeeded",
            reason=plan.read.reason,
            mode=plan.read.mode,
            started=claim.started,
            ended=ended,
            fingerprint=plan.fingerprint,
            location=plan.read.location,
            counts=outcome.counts,
            rules=outcome.rules,
            dataset_rules=outcome.audited.rules,
            steps=outcome.steps,
            target=outcome.target,
            quarantine=outcome.quarantine,
            timings=outcome.timings,
            notes=plan.notes,
            attempt=claim.attempt,
            sequence=claim.sequence,
            max_ratio=plan.max_quarantine_ratio,
            frames=outcome.frames,
        )
        counts = result.counts
        told = {
            "counts_source": counts.source,
            "counts_total": counts.source,
            "counts_good": counts.good,
            "counts_quarantined": counts.quarantined,
        }
        newest = max((file.modified_ns for file in found.pinned.files), default=None)
        levels = judge_service_levels(self.contract.model.service_levels, told, newest, ended)
        return replace(result, service_levels=levels)

    def _commit(self, beginning: Beginning, claim: Claim, plan: Plan, found: Input, result: RunResult) -> None:
        """The log first, the claim last: a run that was logged is found finished by whoever takes it over."""
        log = RunLog(beginning.loaded.project.state_dir)
        log.append(log_row(beginning.loaded, result, found.pinned), app_id=plan.identity, sequence=claim.sequence)
        beginning.claims.finish(replace(claim, fingerprint=plan.fingerprint), "succeeded")

    def _failed(
        self, beginning: Beginning, claim: Claim, plan: Plan, found: Input, error: BaseException, *, written: bool
    ) -> None:
        """Close the claim if nothing was written; else leave it to the next run, which completes it."""
        if written:
            beginning.claims.release(claim)
        else:
            beginning.claims.finish(claim, "failed")
        ended = datetime.now(UTC)
        message = str(error) if isinstance(error, LakeLogicError) else type(error).__name__
        result = RunResult(
            claim.run_id, claim.pipeline_run_id, plan.contract, plan.layer, plan.engine, "failed", plan.read.reason,
            plan.read.mode, claim.started, ended, plan.fingerprint, plan.read.location,
            error=message, attempt=claim.attempt, sequence=claim.sequence,
        )  # fmt: skip
        try:
            RunLog(beginning.loaded.project.state_dir).append(log_row(beginning.loaded, result, found.pinned))
        except LakeLogicError as second:
            logger.error("The failed run could not be logged either: {}", second)

    def _nothing_new(
        self, beginning: Beginning, found: Input, reason: str, spec: SourceSpec | None, plan: Plan | None = None
    ) -> RunResult:
        if spec is not None and not spec.skip_when_empty and found.is_empty:
            raise SourceError(f"{spec.location.text} has no new data, and empty_behavior is fail.")
        now = datetime.now(UTC)
        run_id = f"{now:%Y%m%dT%H%M%SZ}-none"
        result = RunResult(
            run_id, self._pipeline_run_id or run_id, self.contract.name, self.contract.layer,
            plan.engine if plan else "none", "no_new_data", reason, found.read.mode, now, now,
            plan.fingerprint if plan else "", found.read.location, counts=Counts(0, 0, 0, 0, 0, 0, 0, 0),
        )  # fmt: skip
        RunLog(beginning.loaded.project.state_dir).append(log_row(beginning.loaded, result, found.pinned))
        self.last_result = result
        tell(result)
        return result
