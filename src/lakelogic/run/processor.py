"""`DataProcessor`: a contract, ready to run."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from loguru import logger
from tenacity import Retrying, retry_if_exception_type, stop_after_delay, wait_fixed

from lakelogic.contract import LoadedContract, load_contract
from lakelogic.engines.base import Engine
from lakelogic.engines.opening import EngineSettings, chosen_engine, engines, open_engine
from lakelogic.errors import ApprovalNeeded, LakeLogicError, RunBusy, SourceChanged
from lakelogic.observe.service_levels import ServiceLevelResult, judge_service_levels
from lakelogic.plan.model import Plan
from lakelogic.plan.rows import Slice
from lakelogic.run.again import Again, AgainInput
from lakelogic.run.approval import ApprovalAsk, gate_of, remember_columns
from lakelogic.run.begin import Ask, Beginning, new_run_id, require_keys, require_supported, table_formats
from lakelogic.run.changed_input import take_back_changed
from lakelogic.run.clean_up import clear_away
from lakelogic.run.commands import claim_drop, claim_reset, drop_rows, forget
from lakelogic.run.defining import Definition, define, next_alteration
from lakelogic.run.execute import Execution, Outcome
from lakelogic.run.external import refuse_external_logic
from lakelogic.run.inputs import Input
from lakelogic.run.links import ReadLink, guessed_links, read_links
from lakelogic.run.looking import safe_rows
from lakelogic.run.preview import Preview
from lakelogic.run.references import References
from lakelogic.run.reprocess import asked_slice
from lakelogic.run.result import Counts, RunResult, Status, result_of
from lakelogic.run.tell import log_row, tell
from lakelogic.run.unfinished import Unfinished
from lakelogic.sources.days import Days
from lakelogic.sql.render import pin
from lakelogic.state.claims import RESET, Claim
from lakelogic.state.locks import target_lock
from lakelogic.state.runlog import RunLog
from lakelogic.write.operations import AppendRows

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

Progress = Callable[[str], None]


@dataclass(frozen=True)
class Prepared:
    """A run that is planned and not yet begun."""

    beginning: Beginning
    found: Input
    plan: Plan
    links: Mapping[str, ReadLink]


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
        allow_external_logic: bool = True,
        references: References | None = None,
        approval: ApprovalAsk | None = None,
    ) -> None:
        """Load the contract. A server does not `allow_external_logic`: code of the contract then never runs.

        Raises:
            ContractInvalid: with every problem of the file.
        """
        if isinstance(contract, LoadedContract):
            self.contract = contract
        else:
            self.contract = load_contract(contract, overrides=overrides, environment=environment)
        self._settings = EngineSettings(
            self.contract.project.engine_name(engine or self.contract.model.metadata.engine),
            session=spark,
            master=master,
            spark=self.contract.project.spark,
            warehouse=self.contract.project.root / "warehouse",
            verbose=verbose,
        )
        self._pipeline_run_id = pipeline_run_id
        self._progress = progress or _silent
        self._allow_external_logic = allow_external_logic
        self._references = references
        self._approval = approval or ApprovalAsk()
        self.last_result: RunResult | None = None
        self._at_work: Engine[Any] | None = None

    def run(self, frame: Any = None, *, batch_id: str | None = None, force: bool = False) -> RunResult:
        """Read, judge, write and log. A frame takes the place of the source.

        Raises:
            LakeLogicError: what stopped the run; the target is as it was, or the next run completes it.
        """
        return self._run(Ask(frame=frame, batch_id=batch_id, force=force, pipeline_run_id=self._pipeline_run_id))

    def run_source(
        self,
        source: str | None = None,
        *,
        target: str | None = None,
        force: bool = False,
        reprocess_from: str | date | None = None,
        reprocess_to: str | date | None = None,
        reprocess_column: str | None = None,
        reprocess_values: Sequence[object] = (),
        days: Days | None = None,
        wait: float = 0,
    ) -> RunResult:
        """The same with another source, and another target if one is given; or once more on some days or values.

        With `days`, only what is new of them is read. A run that is at work is waited for as many seconds as `wait` says.

        Raises:
            UsageError: the days or values to process again make no sense.
        """
        part = asked_slice(self.contract, reprocess_column, reprocess_from, reprocess_to, reprocess_values)
        run_id = self._pipeline_run_id
        return self._run(Ask(source, target, force=force, pipeline_run_id=run_id, part=part, days=days, wait=wait))

    def run_again(self, again: Again) -> RunResult:
        """Run rows of quarantine once more, by their ids.

        Raises:
            ContractError: the contract makes other rows of them.
        """
        return self._run(Ask(again=again, pipeline_run_id=self._pipeline_run_id))

    def drop(self, rows: Sequence[str], reason: str) -> RunResult:
        """Mark rows of quarantine as dropped, by their ids."""
        beginning = self._begin(Ask())
        with self._locked(beginning):
            self._settled(beginning)
            with self._engine() as engine:
                claim = claim_drop(beginning, engine, rows, reason)
                with beginning.claims.at_work(claim):
                    result = drop_rows(beginning, engine, claim)
                    self._record(beginning, claim, result)
                    return result

    def reset(self, *, empty: bool = False, reason: str = "reset") -> RunResult:
        """Forget what was read, so that the next run reads everything; `empty` takes all rows out of the tables, too.

        Raises:
            RunBusy: a run is at work.
        """
        beginning = self._begin(Ask(force=True))
        with self._locked(beginning):
            self._settled(beginning)
            with self._engine() as engine:
                claim = claim_reset(beginning, engine, reason, empty=empty)
                with beginning.claims.at_work(claim):
                    return self._reset(beginning, claim, engine)

    def _reset(self, beginning: Beginning, claim: Claim, engine: Engine[Any]) -> RunResult:
        result = forget(beginning, engine, claim)
        self._record(beginning, claim, result)
        return result

    def plan(self, *, source: str | None = None, target: str | None = None) -> Plan:
        """What a run would do now. Reads schemas and lists files; writes nothing."""
        return self.preview(source=source, target=target).plan

    def preview(
        self,
        *,
        source: str | None = None,
        target: str | None = None,
        part: Slice | None = None,
        days: Days | None = None,
    ) -> Preview:
        """The plan of a run that would begin now, and its input. Writes nothing; no engine is started without need.

        Raises:
            SourceError: there are no files, so that nothing is known of their columns.
        """
        beginning = self._begin(Ask(source=source, target=target, part=part, days=days))
        unfinished = beginning.claims.unfinished()
        resumed = unfinished if unfinished and unfinished.input.kind in ("files", "table") else None
        found = self._weighed(beginning.input(resumed.input if resumed else None))
        nothing_new = found.is_empty
        found = found.everything() if nothing_new else found
        prepared = self._previewed(beginning, found)
        nothing_new = nothing_new or prepared.found.is_empty
        return Preview(
            prepared.plan,
            prepared.found.pinned,
            nothing_new,
            resumes=resumed.run_id if resumed else None,
            committed_by=None if nothing_new else self._already(prepared),
            alters=next_alteration(prepared.plan.target),
        )

    def define(self, *, source: str | None = None, target: str | None = None, apply: bool = False) -> Definition:
        """What creates or alters the target's table, in Spark SQL; `apply` does it. Writes no rows.

        Raises:
            LakeLogicError: the table can't become what the contract says.
        """
        beginning = self._begin(Ask(source=source, target=target))
        found = beginning.input()
        found = found.everything() if found.is_empty else found
        with self._engine() as engine:
            plan = self._prepare(beginning, found, engine).plan
            return define(self.contract, plan, engine, apply=apply)

    def _previewed(self, beginning: Beginning, found: Input) -> Prepared:
        name = chosen_engine(self._settings)
        known, links = found.known(), guessed_links(self.contract, name)
        if known is not None and links is not None:
            plan = beginning.plan(known, known.columns, name, links)
            return Prepared(beginning, known, plan, {})
        self._check_early(beginning, found)
        with self._engine() as engine:
            return self._prepare(beginning, found, engine)

    def stop(self) -> None:
        """Cancel what the engine is doing for this contract: for another thread to call. The run then fails."""
        if (engine := self._at_work) is not None:
            engine.interrupt()

    def _begin(self, ask: Ask) -> Beginning:
        require_supported(self.contract)
        if not self._allow_external_logic:
            refuse_external_logic(self.contract)
        self._settings = replace(self._settings, formats=table_formats(self.contract, ask))
        return Beginning(self.contract, ask, require_keys(self.contract))

    def settle(self) -> RunResult | None:
        """Bring a run that was cut off to its end, if there is one, and begin no other."""
        beginning = self._begin(Ask())
        with self._locked(beginning):
            return self._settled(beginning)[0]

    def _run(self, ask: Ask) -> RunResult:
        """Run, when nobody else is at work or after waiting for that. Who is busy elsewhere has begun nothing here."""
        again = Retrying(
            retry=retry_if_exception_type(RunBusy), stop=stop_after_delay(ask.wait), wait=wait_fixed(0.5), reraise=True
        )
        return again(self._run_once, ask)

    def _run_once(self, ask: Ask) -> RunResult:
        beginning = self._begin(ask)
        with self._locked(beginning):
            finished, held = self._settled(beginning)
            if held is None:
                clear_away(self.contract, beginning.claims)
            result = self._run_anew(beginning, finished, held)
            clear_away(self.contract, beginning.claims)
            return result

    def _locked(self, beginning: Beginning) -> AbstractContextManager[None]:
        return target_lock(beginning.loaded.project.state_dir, beginning.target.text, self.contract.name)

    def _settled(self, beginning: Beginning) -> tuple[RunResult | None, Claim | None]:
        """The run that was left unfinished, brought to its end."""
        left = beginning.claims.unfinished()
        if left is None:
            return None, None
        with beginning.claims.at_work(beginning.claims.hold(left)) as held:
            return self._settle(beginning, held), held

    def _settle(self, beginning: Beginning, held: Claim) -> RunResult | None:
        """Bring an unfinished run to its end: go on with it, complete its records, or undo it."""
        logger.info("Run {} was not finished; attempt {}", held.run_id, held.attempt)
        self._settings = replace(self._settings, input_bytes=held.input.bytes)
        with self._engine() as engine:
            if held.input.kind == RESET:
                return self._reset(beginning, held, engine)
            left = Unfinished(held, beginning, engine)
            published = left.published()
            if (again := left.as_asked()) is not None and (published is not None or not beginning.ask.force):
                prepared = self._prepare(again, again.input(held.input), engine)
                if prepared.plan.fingerprint == held.fingerprint:
                    return self._execute(prepared, held, engine)
            if published is not None:
                result = left.accounts(published)
                self._record(beginning, held, result)
                return result
            left.undo()
            beginning.claims.finish(held, "given_up")
            logger.warning("Run {} was given up: its input or contract has changed since", held.run_id)
            return None

    def _run_anew(
        self, beginning: Beginning, finished: RunResult | None = None, held: Claim | None = None
    ) -> RunResult:
        """Run on what is there now; what an earlier run has just been finished on is not read again."""
        last = beginning.claims.last()
        found = self._weighed(beginning.input())
        if found.is_empty and finished is not None:
            return finished
        if found.is_empty:
            return self._nothing_new(beginning, found, found.read.reason)
        self._check_early(beginning, found)
        with self._engine() as engine:
            prepared = self._prepare(beginning, found, engine)
            if prepared.found.is_empty:
                return finished or self._nothing_new(beginning, prepared.found, prepared.found.read.reason)
            digest = prepared.found.pinned.digest
            if finished is not None and held is not None and held.input.digest == digest and not beginning.ask.force:
                return finished
            if (earlier := self._already(prepared)) is not None:
                reason = f"this input was committed by run {earlier} under the same plan; --force writes it again"
                return self._nothing_new(beginning, prepared.found, reason)
            claim = beginning.claim(prepared.plan, prepared.found, engine, last)
            with beginning.claims.at_work(claim):
                return self._execute(prepared, claim, engine)

    def _weighed(self, found: Input) -> Input:
        """The same input; its size may decide which engine reads it."""
        self._settings = replace(self._settings, input_bytes=found.pinned.bytes)
        return found

    @contextmanager
    def _engine(self) -> Iterator[Engine[Any]]:
        engine = self._at_work = open_engine(self._settings, self._progress)
        try:
            yield engine
        finally:
            self._at_work = None
            engine.close()

    def _check_early(self, beginning: Beginning, found: Input) -> None:
        """Tell what is wrong with a contract before an engine starts, where its columns are known without one."""
        name = chosen_engine(self._settings)
        if engines.get(name).instant:
            return
        columns, links = found.guessed(), guessed_links(self.contract, name)
        if columns is not None and links is not None:
            beginning.plan(found, columns, name, links)

    def _prepare(self, beginning: Beginning, found: Input, engine: Engine[Any]) -> Prepared:
        self._progress("planning")
        found = found.shaped(engine)
        links = read_links(beginning.loaded, engine, self._references)
        described = {name: (link.plan, link.columns) for name, link in links.items()}
        return Prepared(beginning, found, beginning.plan(found, found.columns, engine.name, described), links)

    def _already(self, prepared: Prepared) -> str | None:
        if not isinstance(prepared.plan.target.operation, AppendRows) or prepared.beginning.ask.force:
            return None
        claims = prepared.beginning.claims
        return claims.has_committed(prepared.found.pinned.digest, prepared.plan.fingerprint)

    def _execute(self, prepared: Prepared, claim: Claim, engine: Engine[Any]) -> RunResult:
        plan, keys = prepared.plan, prepared.beginning.keys
        secrets = keys.secret_values(plan.secrets) if keys and plan.secrets else {}
        execution = Execution(
            plan,
            engine,
            claim,
            {name: link.frame for name, link in prepared.links.items()},
            engine.keys(secrets) if secrets else None,
            lambda sql: pin(sql, started=claim.started, run_id=claim.run_id, pipeline_run_id=claim.pipeline_run_id),
            self._progress,
            gate_of(self.contract, prepared.beginning.claims, self._approval),
            prepared.found if isinstance(prepared.found, AgainInput) else None,
        )
        try:
            found = prepared.found
            outcome = execution.run(found.frame(engine), found.rows, found.rows_before(engine))
            take_back_changed(prepared.beginning, plan, claim, engine)
            result = self._succeeded(prepared, claim, outcome, engine)
            result.counts.reconcile()
            self._record(prepared.beginning, replace(claim, fingerprint=prepared.plan.fingerprint), result)
            if not isinstance(prepared.found, AgainInput):
                remember_columns(prepared.beginning.claims, prepared.plan)
        except BaseException as error:
            # Of what was taken back nothing is left for the next run to complete.
            writes = execution.began_to_write and not isinstance(error, SourceChanged)
            self._failed(prepared, claim, error, began_to_write=writes)
            raise
        self._tidy(plan, engine)
        return result

    def _tidy(self, plan: Plan, engine: Engine[Any]) -> None:
        """The rows are committed and logged: upkeep that fails is only said."""
        try:
            engine.tidy(plan.target)
        except LakeLogicError as error:
            logger.warning("The table's files were not tidied: {}", error)

    def _succeeded(self, prepared: Prepared, claim: Claim, outcome: Outcome, engine: Engine[Any]) -> RunResult:
        ended = datetime.now(UTC)
        counts = outcome.counts
        return replace(
            result_of(prepared.plan, claim, "succeeded", ended),
            counts=counts,
            rules=outcome.rules,
            dataset_rules=outcome.audited.rules,
            service_levels=self._service_levels(prepared.found, counts, ended),
            steps=outcome.steps,
            target=outcome.target,
            quarantine=outcome.quarantine,
            secondary=outcome.secondary,
            timings=outcome.timings,
            frames=outcome.frames,
            handed=engine.handed,
            look=partial(safe_rows, prepared.plan, engine, outcome.frames),
        )

    def _record(self, beginning: Beginning, claim: Claim, result: RunResult) -> None:
        """The log first, the claim last: a run that was logged is found finished by whoever takes it over."""
        row = log_row(beginning.loaded, result, claim.input, beginning.ask.window)
        RunLog(beginning.loaded.project.state_dir).append(row, app_id=beginning.identity, sequence=claim.sequence)
        beginning.claims.finish(claim, "succeeded")
        self.last_result = result
        tell(result)

    def _failed(self, prepared: Prepared, claim: Claim, error: BaseException, *, began_to_write: bool) -> None:
        """Close the claim if no write was begun; else a commit may be there or yet come, and the next run looks.

        One that waits for approval keeps its claim, so that the next run asks about the same input.
        """
        waits = isinstance(error, ApprovalNeeded)
        if not began_to_write and not waits:
            prepared.beginning.claims.finish(claim, "failed")
        message = str(error) if isinstance(error, LakeLogicError) else type(error).__name__
        status: Status = "awaiting_approval" if waits else "failed"
        result = replace(result_of(prepared.plan, claim, status, datetime.now(UTC)), error=message)
        try:
            self._log(prepared.beginning, result, prepared.found)
        except LakeLogicError as second:
            logger.error("The failed run could not be logged either: {}", second)

    def _nothing_new(self, beginning: Beginning, found: Input, reason: str) -> RunResult:
        beginning.refuse_empty(found)
        now = datetime.now(UTC)
        run_id = new_run_id(now)
        result = RunResult(
            run_id=run_id,
            pipeline_run_id=self._pipeline_run_id or run_id,
            contract=self.contract.name,
            layer=self.contract.layer,
            engine=chosen_engine(self._settings),
            status="no_new_data",
            reason=reason,
            mode=found.read.mode,
            started=now,
            ended=now,
            fingerprint="",
            location=found.read.location,
            counts=Counts(0, 0, 0, 0, 0, 0, 0, 0),
            # Rows that did not come tell nothing of how many there should be; their absence tells of freshness.
            service_levels=tuple(
                level for level in self._service_levels(found, Counts(), now) if level.status != "unknown"
            ),
        )
        self._log(beginning, result, found)
        self.last_result = result
        tell(result)
        return result

    def _service_levels(self, found: Input, counts: Counts, now: datetime) -> tuple[ServiceLevelResult, ...]:
        if isinstance(found, AgainInput):
            return ()
        told = {
            "counts_source": counts.source,
            "counts_total": counts.source,
            "counts_good": counts.good,
            "counts_quarantined": counts.quarantined,
        }
        return judge_service_levels(self.contract.model.service_levels, told, found.newest_ns, now)

    def _log(self, beginning: Beginning, result: RunResult, found: Input) -> None:
        RunLog(beginning.loaded.project.state_dir).append(
            log_row(beginning.loaded, result, found.pinned, beginning.ask.window)
        )


def _silent(_: str) -> None:
    """Progress that nobody watches."""
