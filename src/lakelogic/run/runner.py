"""How a contract's run goes on from its beginning: what was left is settled, then what is new is run."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import replace
from typing import Any

from loguru import logger

from lakelogic.contract import LoadedContract
from lakelogic.contract.exports import exports_of
from lakelogic.engines.base import Engine
from lakelogic.engines.opening import EngineSettings, chosen_engine, engines, open_engine
from lakelogic.errors import LakeLogicError, SourceChanged
from lakelogic.observe.traces import span
from lakelogic.plan.model import Plan
from lakelogic.run.again import AgainInput
from lakelogic.run.announcing import announced
from lakelogic.run.approval import ApprovalAsk, gate_of, remember_columns
from lakelogic.run.begin import Ask, Beginning, Prepared, require_keys, require_supported, table_formats
from lakelogic.run.changed_input import take_back_changed
from lakelogic.run.commands import forget
from lakelogic.run.execute import Execution
from lakelogic.run.external import refuse_external_logic
from lakelogic.run.inputs import Input
from lakelogic.run.links import guessed_links, read_links
from lakelogic.run.recording import record, record_failure, record_nothing_new, succeeded
from lakelogic.run.references import References
from lakelogic.run.result import RunResult
from lakelogic.run.unfinished import Unfinished
from lakelogic.sql.render import pin
from lakelogic.state.claims import RESET, Claim
from lakelogic.state.locks import target_lock
from lakelogic.state.runlog import RunLog
from lakelogic.write.operations import AppendRows

Progress = Callable[[str], None]


class Runner:
    """Carries one contract from its beginning to its record, on an engine that it opens when it must."""

    def __init__(
        self,
        contract: LoadedContract,
        settings: EngineSettings,
        progress: Progress,
        *,
        allow_external_logic: bool,
        references: References | None,
        approval: ApprovalAsk,
    ) -> None:
        self.contract = contract
        self._settings = settings
        self._progress = progress
        self._allow_external_logic = allow_external_logic
        self._references = references
        self._approval = approval
        self._at_work: Engine[Any] | None = None
        self._stopped = False

    def stop(self) -> None:
        """Cancel what the engine is doing, from another thread."""
        self._stopped = True
        if (engine := self._at_work) is not None:
            engine.interrupt()

    def begin(self, ask: Ask) -> Beginning:
        """How a run begins that was asked for in this way, if the contract can be run."""
        require_supported(self.contract)
        if not self._allow_external_logic:
            refuse_external_logic(self.contract)
        self._settings = replace(self._settings, formats=table_formats(self.contract, ask))
        return Beginning(self.contract, ask, require_keys(self.contract))

    def locked(self, beginning: Beginning) -> AbstractContextManager[None]:
        """While no other process writes to the same target."""
        return target_lock(beginning.loaded.project.state_dir, beginning.target.text, self.contract.name)

    def settled(self, beginning: Beginning) -> tuple[RunResult | None, Claim | None]:
        """The run that was left unfinished, brought to its end."""
        left = beginning.claims.unfinished()
        if left is None:
            return None, None
        with self.locked(beginning), beginning.claims.at_work(beginning.claims.hold(left)) as held:
            return self._settle(beginning, held), held

    def _settle(self, beginning: Beginning, held: Claim) -> RunResult | None:
        """Bring an unfinished run to its end: go on with it, complete its records, or undo it."""
        logger.info("Run {} was not finished; attempt {}", held.run_id, held.attempt)
        self._settings = replace(self._settings, input_bytes=held.input.bytes)
        with self.engine() as engine:
            if held.input.kind == RESET:
                return record(beginning, held, forget(beginning, engine, held))
            left = Unfinished(held, beginning, engine)
            published = left.published()
            if (again := left.as_asked()) is not None and (published is not None or not beginning.ask.force):
                prepared = self.prepare(again, again.input(held.input), engine)
                if prepared.plan.fingerprint == held.fingerprint:
                    return self._execute(prepared, held, engine)
            if published is not None:
                return record(beginning, held, left.accounts(published))
            left.undo()
            beginning.claims.finish(held, "given_up")
            logger.warning("Run {} was given up: its input or contract has changed since", held.run_id)
            return None

    def run_anew(self, beginning: Beginning, finished: RunResult | None = None, held: Claim | None = None) -> RunResult:
        """Run on what is there now; what an earlier run has just been finished on is not read again."""
        last = beginning.claims.last()
        found = self.weighed(beginning.input())
        if found.is_empty and finished is not None:
            return finished
        if found.is_empty:
            return self._nothing_new(beginning, found)
        self._check_early(beginning, found)
        with self.engine() as engine:
            prepared = self.prepare(beginning, found, engine)
            if prepared.found.is_empty:
                return finished or self._nothing_new(beginning, prepared.found)
            digest = prepared.found.pinned.digest
            if finished is not None and held is not None and held.input.digest == digest and not beginning.ask.force:
                return finished
            if (earlier := self.already(prepared)) is not None:
                reason = f"this input was committed by run {earlier} under the same contract; --force writes it again"
                return self._nothing_new(beginning, prepared.found, reason)
            with self.locked(beginning):
                claim = beginning.claim(prepared.plan, prepared.found, engine, last)
                with beginning.claims.at_work(claim):
                    return self._execute(prepared, claim, engine)

    def weighed(self, found: Input) -> Input:
        """The same input; its size may decide which engine reads it."""
        self._settings = replace(self._settings, input_bytes=found.pinned.bytes)
        return found

    @contextmanager
    def engine(self) -> Iterator[Engine[Any]]:
        """The engine of this contract, for as long as it is needed."""
        with span("opening the engine"):
            engine = self._at_work = open_engine(self._settings, self._progress)
        try:
            yield engine
        finally:
            self._at_work = None
            engine.close()

    def _check_early(self, beginning: Beginning, found: Input) -> None:
        """Tell what is wrong with a contract before an engine starts, where one must and the columns are known without it."""
        name = chosen_engine(self._settings)
        if engines.get(name).instant or self._settings.session is not None:
            return
        columns, links = found.guessed(), guessed_links(self.contract, name)
        if columns is not None and links is not None:
            beginning.plan(found, columns, name, links)

    def prepare(self, beginning: Beginning, found: Input, engine: Engine[Any]) -> Prepared:
        """Plan a run on this input."""
        self._progress("planning")
        with span("planning"):
            found = found.shaped(engine)
            links = read_links(beginning.loaded, engine, self._references)
            described = {name: (link.plan, link.columns) for name, link in links.items()}
            return Prepared(beginning, found, beginning.plan(found, found.columns, engine.name, described), links)

    def already(self, prepared: Prepared) -> str | None:
        """The run that has added this very input before."""
        if not isinstance(prepared.plan.target.operation, AppendRows) or prepared.beginning.ask.force:
            return None
        beginning, plan = prepared.beginning, prepared.plan
        return beginning.claims.has_committed(
            prepared.found.pinned.digest, plan.fingerprint, beginning.contract_digest, plan.code
        )

    def _execute(self, prepared: Prepared, claim: Claim, engine: Engine[Any]) -> RunResult:
        with announced(self.contract.project, prepared.plan, claim, lambda: self._stopped) as ended:
            result = self._carry_out(prepared, claim, engine)
            ended(result)
        # From here on the run has succeeded, whatever fails.
        if not isinstance(prepared.found, AgainInput):
            remember_columns(prepared.beginning.claims, prepared.plan)
        self._tidy(prepared.plan, engine)
        return result

    def _carry_out(self, prepared: Prepared, claim: Claim, engine: Engine[Any]) -> RunResult:
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
            result = succeeded(prepared, claim, outcome, engine)
            result.counts.reconcile()
            return record(prepared.beginning, replace(claim, fingerprint=prepared.plan.fingerprint), result)
        except BaseException as error:
            # Of what was taken back nothing is left for the next run to complete.
            writes = execution.began_to_write and not isinstance(error, SourceChanged)
            record_failure(prepared, claim, error, began_to_write=writes)
            raise

    def _nothing_new(self, beginning: Beginning, found: Input, reason: str | None = None) -> RunResult:
        return record_nothing_new(beginning, found, reason or found.read.reason, chosen_engine(self._settings))

    def _tidy(self, plan: Plan, engine: Engine[Any]) -> None:
        """The rows are committed and logged: upkeep that fails is only said."""
        try:
            engine.tidy(plan.target)
        except LakeLogicError as error:
            logger.warning("The table's files were not tidied: {}", error)

    def tidy_log(self) -> None:
        """The run is over: upkeep of the log that fails is only said."""
        try:
            RunLog(self.contract.project.state_dir).tidy()
        except LakeLogicError as error:
            logger.warning("The files of the run log were not put together: {}", error)

    def exported(self, beginning: Beginning, result: RunResult) -> RunResult:
        """The result, with the receipts of what is sent elsewhere. A run without new data sends what is still due."""
        if result.exit_code or beginning.ask.target is not None or not exports_of(self.contract):
            return result
        from lakelogic.run.exporting import sent_after

        self._progress("exporting")
        return replace(result, exports=sent_after(self.contract, result))

    def previewed(self, beginning: Beginning, found: Input) -> Prepared:
        """The plan of a run that does not begin; no engine is started without need."""
        name = chosen_engine(self._settings)
        known, links = found.known(), guessed_links(self.contract, name)
        if known is not None and links is not None:
            plan = beginning.plan(known, known.columns, name, links)
            return Prepared(beginning, known, plan, {})
        self._check_early(beginning, found)
        with self.engine() as engine:
            return self.prepare(beginning, found, engine)
