"""How a run begins: its input is pinned, its plan is built, its number is claimed."""

from __future__ import annotations

import os
import secrets
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from lakelogic.contract import LoadedContract
from lakelogic.contract.support import unsupported
from lakelogic.contract.values import parse_date
from lakelogic.engines.abilities import refuse_unable
from lakelogic.engines.base import Engine, Stamp
from lakelogic.engines.opening import engines
from lakelogic.errors import ContractError, ContractInvalid, RunBusy, SecretMissing, SourceError, StateError
from lakelogic.masks.keys import VARIABLE, Keys, load_keys
from lakelogic.masks.rotation import refuse_other_key
from lakelogic.plan.build import Given, build_plan
from lakelogic.plan.locations import locate
from lakelogic.plan.model import LinkPlan, Plan, Role, TablePlan, writer_of
from lakelogic.plan.rows import Slice
from lakelogic.plan.tables import identity_of, quarantine_table, target_of
from lakelogic.run.again import Again, AgainInput
from lakelogic.run.choosing import Choosing
from lakelogic.run.clean_up import clean_up_of
from lakelogic.run.external import with_external_logic
from lakelogic.run.inputs import FrameInput, Input
from lakelogic.run.links import ReadLink
from lakelogic.run.tell import Instants
from lakelogic.sources.days import Days
from lakelogic.sources.discover import SourceSpec, link_spec, list_source, source_of
from lakelogic.sources.partitions import midnight
from lakelogic.sources.read import TableToRead
from lakelogic.sql.types import Columns
from lakelogic.state.claims import Claim, Claims, CleanUp, Pinned, digest_of
from lakelogic.state.past import RunsBefore
from lakelogic.state.runlog import RunLog
from lakelogic.write.operations import AppendRows


@dataclass(frozen=True)
class Ask:
    """What the caller wants beyond the contract."""

    source: str | None = None
    target: str | None = None
    frame: Any = None
    batch_id: str | None = None
    force: bool = False
    pipeline_run_id: str | None = None
    part: Slice | None = None
    days: Days | None = None
    again: Again | None = None
    wait: float = 0

    @property
    def window(self) -> Instants:
        """When the days that the caller has asked for begin, and when they have ended."""
        part = self.part or Slice()
        first = self.days.first if self.days else parse_date(part.first) if part.first else None
        last = self.days.last if self.days else parse_date(part.last) if part.last else None
        return midnight(first) if first else None, midnight(last + timedelta(days=1)) if last else None


def require_supported(loaded: LoadedContract) -> None:
    """Refuse what this release does not do, before anything is read.

    Raises:
        ContractInvalid: lists every key that is not supported yet.
    """
    if problems := unsupported(loaded):
        raise ContractInvalid(problems)


def table_formats(loaded: LoadedContract, ask: Ask) -> frozenset[str]:
    """The formats of every table that a run reads or writes."""
    said, model = loaded.model.materialization, loaded.model
    written = {said.format, model.quarantine.format, *(table.format for table in said.secondary_targets)}
    links = (link_spec(link, loaded.directory) for link in model.links)
    read = {link.format for link in links if isinstance(link, TableToRead)}
    if ask.frame is None and (ask.source or loaded.source is not None):
        read.add(source_of(loaded, ask.source).format or "delta")
    return frozenset(written | read)


def require_keys(loaded: LoadedContract) -> Keys | None:
    """The keys that masking needs; None where the contract needs none and none is set.

    Raises:
        SecretMissing: the contract masks with a key, and none is set; or one is set that can't be used.
    """
    keyed = {"encrypt", "hash", "tokenize"}
    fields = loaded.model.model.fields
    needed = any(item.masking in keyed for item in fields)
    if not needed and not any(item.is_personal or item.is_masked for item in fields):
        return None
    try:
        return load_keys(os.environ)
    except SecretMissing:
        # A key that can't be used is no wish to do without one.
        if needed or os.environ.get(VARIABLE):
            raise
        return None


class Beginning:
    """Finds, for one contract, what the next run is to do."""

    def __init__(self, loaded: LoadedContract, ask: Ask, keys: Keys | None, claims: Claims | None = None) -> None:
        self.loaded = loaded
        self.ask = ask
        self.keys = keys
        self.target = target_of(loaded, locate(ask.target, Path.cwd()) if ask.target else None)
        self.identity = identity_of(loaded, self.target)
        self.claims = claims or Claims(loaded.project.state_dir / "runs" / self.identity)
        self.contract_digest = digest_of(loaded.document)
        RunLog(loaded.project.state_dir).require_usable()

    def input(self, pinned: Pinned | None = None) -> Input:
        """What to read: the pinned input of an unfinished run, else what is there and new.

        Raises:
            SourceError: the source can't be listed or read.
        """
        if self.ask.again is not None:
            return self._once_more(self.ask.again, pinned)
        return with_external_logic(self.loaded, self._given_or_found(pinned))

    def _once_more(self, again: Again, pinned: Pinned | None) -> Input:
        """Rows of quarantine are as the contract's own code has left them: it does not run on them again."""
        if (table := self.quarantine) is None:
            raise ContractError("the contract has no quarantine.", cure="Set quarantine.enabled.")
        return AgainInput.of(self.loaded, again, table, self.plain_target, self.keys, pinned)

    @property
    def plain_target(self) -> TablePlan:
        """Where good rows go, apart from how they are written."""
        format_ = self.loaded.model.materialization.format
        return TablePlan(self.target.text, self.target.is_name, "append", AppendRows(), format=format_)

    @property
    def quarantine(self) -> TablePlan | None:
        """Where bad rows go; None where the contract keeps none."""
        return quarantine_table(self.loaded, self.target)

    def _given_or_found(self, pinned: Pinned | None) -> Input:
        if self.ask.frame is not None:
            return FrameInput.of(self.ask.frame, self.ask.batch_id)
        spec = source_of(self.loaded, self.ask.source)
        chosen = Choosing(self.loaded, spec, self.past(spec), self.target, self.ask.force, self.ask.part, self.ask.days)
        return chosen.input(pinned)

    def past(self, spec: SourceSpec) -> RunsBefore:
        """What the runs before have read of a source."""
        return RunsBefore(self.claims, spec.location.text)

    def has_still(self, pinned: Pinned) -> bool:
        """Whether every file of an unfinished run's input is as it was."""
        if pinned.kind != "files":
            return True
        there = {file.identity for file in list_source(source_of(self.loaded, self.ask.source)).files}
        return all(file.identity in there for file in pinned.files)

    def refuse_empty(self, found: Input) -> None:
        """
        Raises:
            SourceError: there is nothing to read, and the contract calls that a failure.
        """
        if self.ask.again is None and found.is_empty and not source_of(self.loaded, self.ask.source).skip_when_empty:
            raise SourceError(f"{found.read.reason}, and empty_behavior is fail.")

    def plan(self, found: Input, columns: Columns, engine: str, links: Mapping[str, tuple[LinkPlan, Columns]]) -> Plan:
        """The plan for this input, given the columns that it and the links have."""
        kind = engines.get(engine)
        how = self.ask.again.how if self.ask.again else None
        given = Given(found.read, columns, engine, kind.render, links, self.target, self._key_id, self.ask.part, how)
        plan = build_plan(self.loaded, given)
        try:
            refuse_unable(plan, kind.writes)
        except ContractError as error:
            raise error.at(self.loaded.place("materialization")) from None
        return plan

    @property
    def _key_id(self) -> str | None:
        return self.keys.ids[0] if self.keys else None

    def claim(self, plan: Plan, found: Input, engine: Engine[Any], last: int) -> Claim:
        """Claim the next number: above every number that the state or the tables have seen.

        Raises:
            RunBusy: another process was first.
            StateError: the tables know of runs that the state does not.
            KeyChanged: the keys of the target were masked under another key.
        """
        if self.claims.last() != last:
            raise RunBusy("another process has run this contract meanwhile.", cure="Run again.")
        recorded = engine.last_sequence(plan.target, self.writer("target"))
        if recorded > last and isinstance(plan.target.operation, AppendRows) and not self._may_go_on():
            raise StateError(
                f"{plan.target.location} was written by run {recorded} of this contract, but {self.claims.folder} knows only {last}.",
                cure="Restore the state folder, or empty the table and read everything again with `lakelogic reload`."
                " --force alone would append all rows a second time.",
            )
        if recorded:
            refuse_other_key(plan.target.location, self.claims.last_key_id(), plan.key_id)
        deleted = plan.target.changes.deleted if plan.target.changes else None
        for role, table in (*plan.others, ("quarantine", plan.quarantine), ("deleted", deleted)):
            if table is not None:
                recorded = max(recorded, engine.last_sequence(table, self.writer(role)))
        claim = self._claimed(max(last, recorded) + 1, plan.read.mode, plan.read.reason, found.pinned, plan.quarantine)
        reads_files = found.pinned.kind == "files"
        if reads_files:
            self.past(source_of(self.loaded, self.ask.source)).keep()
        return self.claims.create(
            replace(
                claim,
                fingerprint=plan.fingerprint,
                code=plan.code,
                key_id=self._key_id if plan.secrets else None,
                clean_up=self._clean_up() if reads_files else None,
                secondary=tuple((table.location, table.is_name, table.format) for table in plan.secondary),
            )
        )

    def claim_command(self, mode: str, reason: str, pinned: Pinned, engine: Engine[Any]) -> Claim:
        """Claim the next number for a change of the tables that is no run.

        Raises:
            RunBusy: another process was first.
        """
        recorded = engine.last_sequence(self.plain_target, self.writer("target"))
        if self.quarantine is not None:
            recorded = max(recorded, engine.last_sequence(self.quarantine, self.writer("quarantine")))
        sequence = max(self.claims.last(), recorded) + 1
        return self.claims.create(self._claimed(sequence, mode, reason, pinned, self.quarantine))

    def _claimed(self, sequence: int, mode: str, reason: str, pinned: Pinned, quarantine: TablePlan | None) -> Claim:
        now = datetime.now(UTC)
        run_id = new_run_id(now)
        return Claim(
            sequence=sequence,
            run_id=run_id,
            pipeline_run_id=self.ask.pipeline_run_id or run_id,
            started=now,
            fingerprint="",
            contract=self.contract_digest,
            reason=reason,
            mode=mode,
            input=pinned,
            quarantine=(quarantine.location, quarantine.is_name) if quarantine else None,
            previous=self.claims.last(),
            formats=(self.plain_target.format, quarantine.format if quarantine else "delta"),
        )

    def writer(self, role: Role) -> str:
        """Under which name the contract's transactions stand in a table."""
        return writer_of(self.identity, role)

    def stamp(self, role: Role, claim: Claim) -> Stamp:
        """Who writes, for a change of the tables that is no run."""
        return Stamp(self.writer(role), claim.sequence, claim.run_id, claim.fingerprint, claim.input.digest)

    def _clean_up(self) -> CleanUp | None:
        return clean_up_of(self.loaded, source_of(self.loaded, self.ask.source))

    def _may_go_on(self) -> bool:
        """Whether an append may go on without the state of the runs before: it was asked to, or the target tells."""
        source = self.loaded.source
        by_target = source is not None and source.load_mode != "full" and source.watermark_strategy == "max_target"
        return self.ask.force or by_target


@dataclass(frozen=True)
class Prepared:
    """A run that is planned and not yet begun."""

    beginning: Beginning
    found: Input
    plan: Plan
    links: Mapping[str, ReadLink]


def new_run_id(now: datetime) -> str:
    """A name for a run that sorts by time and is never given twice."""
    return f"{now:%Y%m%dT%H%M%SZ}-{secrets.token_hex(4)}"
