"""`DataProcessor`: a contract, ready to run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lakelogic.contract import LoadedContract, load_contract
from lakelogic.engines.opening import EngineSettings
from lakelogic.errors import RunBusy
from lakelogic.observe.traces import span
from lakelogic.plan.model import Plan
from lakelogic.plan.rows import Slice
from lakelogic.run.again import Again
from lakelogic.run.approval import ApprovalAsk
from lakelogic.run.begin import Ask
from lakelogic.run.clean_up import clear_away
from lakelogic.run.commands import claim_drop, claim_reset, drop_rows, forget
from lakelogic.run.defining import Definition, define, next_alteration
from lakelogic.run.preview import Preview
from lakelogic.run.recording import record
from lakelogic.run.references import References
from lakelogic.run.reprocess import asked_slice
from lakelogic.run.result import RunResult
from lakelogic.run.runner import Progress, Runner
from lakelogic.sources.days import Days

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


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
        said = self.contract.model.metadata.engine
        named_in = self.contract.place("metadata", "engine") if said else self.contract.project.engine_place()
        settings = EngineSettings(
            self.contract.project.engine_name(engine or said),
            session=spark,
            master=master,
            spark=self.contract.project.spark,
            warehouse=self.contract.project.root / "warehouse",
            verbose=verbose,
            place=None if engine else named_in,
        )
        self._runner = Runner(
            self.contract,
            settings,
            progress or _silent,
            allow_external_logic=allow_external_logic,
            references=references,
            approval=approval or ApprovalAsk(),
        )
        self._pipeline_run_id = pipeline_run_id
        self.last_result: RunResult | None = None

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
        beginning = self._runner.begin(Ask())
        self._runner.settled(beginning)
        with self._runner.locked(beginning), self._runner.engine() as engine:
            claim = claim_drop(beginning, engine, rows, reason)
            with beginning.claims.at_work(claim):
                return record(beginning, claim, drop_rows(beginning, engine, claim))

    def reset(self, *, empty: bool = False, reason: str = "reset") -> RunResult:
        """Forget what was read, so that the next run reads everything; `empty` takes all rows out of the tables, too.

        Raises:
            RunBusy: a run is at work.
        """
        beginning = self._runner.begin(Ask(force=True))
        self._runner.settled(beginning)
        with self._runner.locked(beginning), self._runner.engine() as engine:
            claim = claim_reset(beginning, engine, reason, empty=empty)
            with beginning.claims.at_work(claim):
                return record(beginning, claim, forget(beginning, engine, claim))

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
        beginning = self._runner.begin(Ask(source=source, target=target, part=part, days=days))
        unfinished = beginning.claims.unfinished()
        resumed = unfinished if unfinished and unfinished.input.kind in ("files", "table") else None
        found = self._runner.weighed(beginning.input(resumed.input if resumed else None))
        nothing_new = found.is_empty
        found = found.everything() if nothing_new else found
        prepared = self._runner.previewed(beginning, found)
        nothing_new = nothing_new or prepared.found.is_empty
        return Preview(
            prepared.plan,
            prepared.found.pinned,
            nothing_new,
            resumes=resumed.run_id if resumed else None,
            committed_by=None if nothing_new else self._runner.already(prepared),
            alters=next_alteration(prepared.plan.target),
        )

    def define(self, *, source: str | None = None, target: str | None = None, apply: bool = False) -> Definition:
        """What creates or alters the target's table, in Spark SQL; `apply` does it. Writes no rows.

        Raises:
            LakeLogicError: the table can't become what the contract says.
        """
        beginning = self._runner.begin(Ask(source=source, target=target))
        found = beginning.input()
        found = found.everything() if found.is_empty else found
        with self._runner.engine() as engine:
            plan = self._runner.prepare(beginning, found, engine).plan
            return define(self.contract, plan, engine, apply=apply)

    def stop(self) -> None:
        """Cancel what the engine is doing for this contract: for another thread to call. The run then fails."""
        self._runner.stop()

    def settle(self) -> RunResult | None:
        """Bring a run that was cut off to its end, if there is one, and begin no other."""
        beginning = self._runner.begin(Ask())
        return self._runner.settled(beginning)[0]

    def _run(self, ask: Ask) -> RunResult:
        """Run, when nobody else is at work or after waiting for that. Who is busy elsewhere has begun nothing here."""
        self.last_result = self._run_patiently(ask) if ask.wait else self._run_once(ask)
        return self.last_result

    def _run_patiently(self, ask: Ask) -> RunResult:
        from tenacity import Retrying, retry_if_exception_type, stop_after_delay, wait_fixed

        again = Retrying(
            retry=retry_if_exception_type(RunBusy), stop=stop_after_delay(ask.wait), wait=wait_fixed(0.5), reraise=True
        )
        return again(self._run_once, ask)

    def _run_once(self, ask: Ask) -> RunResult:
        with span(f"run {self.contract.name}", contract=self.contract.name, layer=self.contract.layer) as traced:
            result = self._from_beginning_to_end(ask)
            traced.note(run_id=result.run_id, engine=result.engine, status=result.status, mode=result.mode)
            traced.note(**{f"rows.{name}": count for name, count in asdict(result.counts).items()})
            if result.blocking:
                traced.failed("; ".join(result.blocking))
            return result

    def _from_beginning_to_end(self, ask: Ask) -> RunResult:
        beginning = self._runner.begin(ask)
        finished, held = self._runner.settled(beginning)
        if held is None:
            clear_away(self.contract, beginning.claims)
        result = self._runner.run_anew(beginning, finished, held)
        clear_away(self.contract, beginning.claims)
        self._runner.tidy_log()
        return self._runner.exported(beginning, result)


def _silent(_: str) -> None:
    """Progress that nobody watches."""
