"""How a run begins: its input is pinned, its plan is built, its number is claimed."""

from __future__ import annotations

import os
import secrets
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from lakelogic.contract import LoadedContract
from lakelogic.contract.support import unsupported
from lakelogic.engines.base import Engine
from lakelogic.errors import ContractInvalid, SecretMissing, SourceError, StateError
from lakelogic.masks.keys import Keys, load_keys
from lakelogic.plan.build import Given, build_plan, identity_of, target_of
from lakelogic.plan.locations import Location, locate
from lakelogic.plan.model import LinkPlan, Plan, ReadPlan
from lakelogic.plan.names import FILE, MALFORMED, POSITION
from lakelogic.run.execute import app_id
from lakelogic.sources.discover import SourceSpec, link_spec, list_source, source_columns, source_of, to_read
from lakelogic.sources.files import Listing, SourceFile
from lakelogic.sources.read import FilesToRead, TableToRead
from lakelogic.sql.types import Columns, type_name
from lakelogic.state.claims import Claim, Claims, Pinned, as_json


@dataclass(frozen=True)
class Ask:
    """What the caller wants beyond the contract."""

    source: str | None = None
    target: str | None = None
    frame: Any = None
    batch_id: str | None = None
    force: bool = False
    pipeline_run_id: str | None = None


@dataclass(frozen=True)
class Input:
    """The input of a run: pinned, with its columns and the reason for reading all or a part."""

    pinned: Pinned
    read: ReadPlan
    columns: Columns
    files: FilesToRead | None = None
    table: TableToRead | None = None
    rows: int | None = None
    root: str = ""

    @property
    def is_empty(self) -> bool:
        return self.read.kind == "files" and not self.pinned.files


def require_supported(loaded: LoadedContract) -> None:
    """Refuse what this release does not do, before anything is read.

    Raises:
        ContractInvalid: lists every key that is not supported yet.
    """
    if problems := unsupported(loaded):
        raise ContractInvalid(problems)


def require_keys(loaded: LoadedContract) -> Keys | None:
    """The keys that masking needs; None where the contract needs none and none is set.

    Raises:
        SecretMissing: the contract masks with a key, and none is set.
    """
    keyed = {"encrypt", "hash", "tokenize"}
    fields = loaded.model.model.fields
    needed = any(item.masking in keyed for item in fields)
    if not needed and not any(item.is_personal or item.is_masked for item in fields):
        return None
    try:
        return load_keys(os.environ)
    except SecretMissing:
        if needed:
            raise
        return None


class Beginning:
    """Finds, for one contract, what the next run is to do."""

    def __init__(self, loaded: LoadedContract, ask: Ask, keys: Keys | None) -> None:
        self.loaded = loaded
        self.ask = ask
        self.keys = keys
        self.target = target_of(loaded, locate(ask.target, Path.cwd()) if ask.target else None)
        self.identity = identity_of(loaded, self.target)
        self.claims = Claims(loaded.project.state_dir / "runs" / self.identity)

    def input(self, pinned: Pinned | None = None) -> tuple[SourceSpec | None, Input]:
        """What to read: the pinned input of an unfinished run, else what is there and new.

        Raises:
            SourceError: the source can't be listed or read.
        """
        if self.ask.frame is not None:
            frame = Pinned("frame", "frame", batch_id=self.ask.batch_id or secrets.token_hex(8))
            return None, Input(
                frame, self._read_plan("frame", "frame", "frame", "full", "a frame was given"), Columns()
            )
        spec = source_of(self.loaded, self.ask.source)
        if spec.is_table:
            return spec, self._table_input(spec, pinned)
        return spec, self._files_input(spec, pinned)

    def _table_input(self, spec: SourceSpec, pinned: Pinned | None) -> Input:
        version = pinned.version if pinned else None
        table = TableToRead(spec.location.text, spec.location.is_name, version)
        mode = "full"
        reason = "a table is read as a whole"
        read = self._read_plan("table", spec.location.text, spec.format or "table", mode, reason)
        return Input(pinned or Pinned(spec.location.text, "table", version=version), read, Columns(), table=table)

    def _files_input(self, spec: SourceSpec, pinned: Pinned | None) -> Input:
        listing = list_source(spec)
        files, mode, reason = pinned.files if pinned else listing.files, "full", "load_mode is full"
        if pinned:
            reason = "the input of an unfinished run is read again"
            self._refuse_changed(listing, pinned)
        if spec.incremental:
            mode = "incremental"
            if pinned is None:
                files, reason = self._new_files(listing)
        read = self._read_plan("files", spec.location.text, spec.format or "", mode, reason, spec.pattern)
        return Input(pinned or Pinned(spec.location.text, "files", files), read, Columns(), root=listing.root)

    def _new_files(self, listing: Listing) -> tuple[tuple[SourceFile, ...], str]:
        seen = {file.identity for claim, _ in self.claims.committed() for file in claim.input.files}
        known_paths = {identity.rsplit("|", 2)[0] for identity in seen}
        new = tuple(file for file in listing.files if file.identity not in seen)
        if not seen:
            return new, "no earlier run is in the log, so all files are new"
        changed = sum(1 for file in new if file.path in known_paths)
        said = f", {changed} of them changed since they were read" if changed else ""
        return new, f"{len(new)} of {len(listing.files)} files are new since the last run{said}"

    def _refuse_changed(self, listing: Listing, pinned: Pinned) -> None:
        there = {file.identity for file in listing.files}
        gone = [file.path for file in pinned.files if file.identity not in there]
        if gone:
            raise SourceError(
                f"{gone[0]} was removed or changed since the unfinished run began to read it.",
                cure="Restore the file, or give the unfinished run up with --force.",
            )

    def _read_plan(
        self, kind: str, location: str, format_: str, mode: str, reason: str, pattern: str | None = None
    ) -> ReadPlan:
        return ReadPlan(kind, location, format_, mode, reason, (), (), pattern)  # type: ignore[arg-type]

    def shaped(self, spec: SourceSpec | None, found: Input, engine: Engine[Any] | None) -> Input:
        """The input with its columns. Headers and footers tell most; the engine is asked only for the rest."""
        if found.read.kind == "frame":
            assert engine is not None
            columns = engine.frame_columns(self.ask.frame)
            return _with_columns(found, columns, None)
        if found.table is not None:
            assert engine is not None
            table, columns = engine.table_columns(found.table)
            pinned = replace(found.pinned, version=table.version)
            return replace(_with_columns(found, columns, None), table=table, pinned=pinned)
        assert spec is not None
        files = to_read(self.loaded, spec, Listing(found.root, found.pinned.files), found.pinned.files)
        if files.format == "json":
            assert engine is not None
            files = engine.files_columns(files)
        columns = Columns((*source_columns(files), FILE, POSITION))
        if files.format in ("csv", "json"):
            columns = Columns((*columns, MALFORMED))
        read = replace(found.read, format=files.format)
        return replace(_with_columns(replace(found, read=read), columns, files.rows), files=files)

    def plan(self, found: Input, engine_name: str, render: Any, links: Mapping[str, tuple[LinkPlan, Columns]]) -> Plan:
        """The plan for this input."""
        given = Given(found.read, found.columns, engine_name, render, links, self.target, has_key=self.keys is not None)
        return build_plan(self.loaded, given)

    def claim(self, plan: Plan, found: Input, engine: Engine[Any], last: int) -> Claim:
        """Claim the next number: above every number that the state or the tables have seen.

        Raises:
            RunBusy: another process was first.
            StateError: the tables know of runs that the state does not.
        """
        recorded = engine.last_sequence(plan.target, app_id(plan.identity, "target"))
        if recorded > last and plan.target.strategy == "append" and not self.ask.force:
            raise StateError(
                f"{plan.target.location} was written by run {recorded} of this contract, but {self.claims.folder} knows only {last}.",
                cure="Restore the state folder, or pass --force to read everything again.",
            )
        if plan.quarantine is not None:
            recorded = max(recorded, engine.last_sequence(plan.quarantine, app_id(plan.identity, "quarantine")))
        now = datetime.now(UTC)
        run_id = f"{now:%Y%m%dT%H%M%SZ}-{secrets.token_hex(4)}"
        claim = Claim(
            sequence=max(last, recorded) + 1,
            run_id=run_id,
            pipeline_run_id=self.ask.pipeline_run_id or run_id,
            started=now,
            fingerprint=plan.fingerprint,
            reason=plan.read.reason,
            mode=plan.read.mode,
            input=found.pinned,
            document=as_json(self.loaded.document),
        )
        return self.claims.create(claim)


def _with_columns(found: Input, columns: Columns, rows: int | None) -> Input:
    described = tuple((column.name, type_name(column.type)) for column in columns.visible)
    return replace(found, columns=columns, rows=rows, read=replace(found.read, columns=described))
