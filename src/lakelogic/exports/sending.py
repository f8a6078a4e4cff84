"""Exports from end to end: what is declared, what is due, sending it, and the receipt."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path

from loguru import logger

from lakelogic.contract import LoadedContract
from lakelogic.contract.exports import Export, ProjectExport, exports_of, in_clear, keys_of, project_exports
from lakelogic.errors import LakeLogicError
from lakelogic.exports.base import Environment, ExportError, ExportPlan, ExportTarget, Rows, export_targets
from lakelogic.exports.reading import Stored, opened
from lakelogic.exports.receipts import Receipt, keep, new_export_id, sent_before
from lakelogic.project import Project
from lakelogic.sql.types import Columns
from lakelogic.state.locks import target_lock

# What stands in place of a contract's name where files of the project are sent.
FILES = "files"
_ATTEMPTS = 3
_LONGEST_WAIT = 20.0


@dataclass(frozen=True)
class Asked:
    """What is wanted of exports: one kind only, once more though nothing is new, or only a plan."""

    to: str | None = None
    force: bool = False
    dry_run: bool = False
    run_id: str | None = None
    environment: Environment | None = None

    @property
    def variables(self) -> Environment:
        return os.environ if self.environment is None else self.environment

    def wants(self, export: Export) -> bool:
        return self.to is None or export.to == self.to


def export_contract(loaded: LoadedContract, asked: Asked | None = None) -> tuple[Receipt, ...]:
    """Send the table of a contract to every system that is listed for it; what goes wrong is in the receipt.

    Raises:
        LakeLogicError: the table can't be read, or the project file is wrong.
    """
    asked = asked or Asked()
    wanted = [export for export in exports_of(loaded) if asked.wants(export)]
    ready = [export for export in wanted if _configured(export, asked)]
    if not ready:
        return tuple(_not_configured(export, loaded.name, asked) for export in wanted)
    with opened(loaded) as stored:
        return tuple(
            _sent(export, loaded, stored, asked) if export in ready else _not_configured(export, loaded.name, asked)
            for export in wanted
        )


def export_files(project: Project, asked: Asked | None = None) -> tuple[Receipt, ...]:
    """Send the files of a project that its file lists; what goes wrong is in the receipt."""
    asked = asked or Asked()
    wanted = [export for export in project_exports(project) if export.files and asked.wants(export)]
    return tuple(
        _files_sent(export, project, asked) if _configured(export, asked) else _not_configured(export, FILES, asked)
        for export in wanted
    )


def _configured(export: Export, asked: Asked) -> bool:
    return not export_targets.get(export.to).missing(asked.variables)


def _not_configured(export: Export, contract: str, asked: Asked) -> Receipt:
    missing = export_targets.get(export.to).missing(asked.variables)
    where = "/".join(part for part in (export.to, export.table or export.prefix) if part)
    return Receipt(contract, export.to, where, "not_configured", f"{', '.join(missing)} not set")


def _sent(export: Export, loaded: LoadedContract, stored: Stored, asked: Asked) -> Receipt:
    default = "/".join(part for part in (loaded.layer, loaded.name) if part)
    target = export_targets.get(export.to)(asked.variables)
    place = target.place(export, default)
    try:
        target.require_library()
        plan = _planned(export, loaded, stored, place)
        order = plan.keys if target.ordered else None
        rows = stored.rows(plan.columns, order)
        return _settled(target, plan, rows, loaded.project.state_dir, asked)
    except LakeLogicError as error:
        return _told(Receipt(loaded.name, export.to, place, "failed", str(error), run_id=asked.run_id))


def _planned(export: Export, loaded: LoadedContract, stored: Stored, place: str) -> ExportPlan:
    """What would be sent, if nothing speaks against it."""
    if private := in_clear(export, loaded.model.model.fields):
        raise ExportError(
            f"{', '.join(private)} would be sent in clear.", cure="Give it masking, or list the other columns."
        )
    chosen = stored.columns
    if export.columns:
        chosen = Columns(tuple(stored.columns.get(name) for name in export.columns))
    keys = keys_of(loaded, export)
    merges = bool(keys) and export.mode != "replace" and export.table is not None
    if export.mode == "merge" and not keys:
        raise ExportError("mode merge needs keys.", cure="Add primary_key to the contract, or keys to the export.")
    for key in keys:
        chosen.get(key)
    if merges:
        stored.refuse_keys(keys)
    pinned = stored.pinned
    return ExportPlan(
        loaded.name,
        export.to,
        place,
        pinned.location,
        pinned.version,
        pinned.id,
        stored.count(),
        chosen,
        keys,
        merges,
        export.delete_missing,
    )


def _files_sent(export: ProjectExport, project: Project, asked: Asked) -> Receipt:
    target = export_targets.get(export.to)(asked.variables)
    place = target.place(export, FILES)
    try:
        target.require_library()
        files = tuple(_listed(project, export.files))
        root = str(project.root)
        plan = ExportPlan(FILES, export.to, place, root, None, None, 0, Columns(), delete_missing=export.delete_missing)
        plan = replace(plan, files=files, root=project.root)
        return _settled(target, plan, Rows(lambda: iter(())), project.state_dir, replace(asked, force=True))
    except LakeLogicError as error:
        return _told(Receipt(FILES, export.to, place, "failed", str(error)))


def _listed(project: Project, names: Iterable[str]) -> Iterator[Path]:
    """The files; those of the state folder change while they are sent, and are left out."""
    for name in names:
        path = project.root / name
        if not path.exists() or not path.resolve().is_relative_to(project.root):
            raise ExportError(f"{name} is not a file or folder of the project.", cure="Correct files of the export.")
        found = sorted(path.rglob("*")) if path.is_dir() else [path]
        state = project.state_dir
        yield from (f for f in found if f.is_file() and not f.is_symlink() and not f.is_relative_to(state))


def _settled(target: ExportTarget, plan: ExportPlan, rows: Rows, state: Path, asked: Asked) -> Receipt:
    """Send what is due, and keep the receipt."""
    told = Receipt(plan.contract, plan.to, plan.place, "planned", table_version=plan.version, run_id=asked.run_id)
    before = None if asked.force else sent_before(plan, state)
    if before is not None:
        when = before["ended_at"].strftime("%Y-%m-%d %H:%M:%S UTC")
        return _told(replace(told, status="unchanged", reason=f"version {plan.version} was sent {when}"))
    if asked.dry_run:
        rows_or_files = f"{len(plan.files)} files" if plan.files else f"{plan.rows} rows"
        return replace(told, reason=f"would send {rows_or_files}")
    told = replace(told, started=datetime.now(UTC), export_id=new_export_id())
    with target_lock(state, f"export {plan.place}", plan.contract):
        told = _tried(target, plan, rows, told)
    told = replace(told, ended=datetime.now(UTC))
    keep(told, plan, state)
    return _told(told)


def _tried(target: ExportTarget, plan: ExportPlan, rows: Rows, told: Receipt) -> Receipt:
    """Sending is all or nothing, so that it can be tried again where that helps."""
    from tenacity import Retrying, retry_if_exception, stop_after_attempt, wait_random_exponential

    again = Retrying(
        retry=retry_if_exception(lambda error: isinstance(error, LakeLogicError) and error.retry_can_help),
        stop=stop_after_attempt(_ATTEMPTS),
        wait=wait_random_exponential(multiplier=0.5, max=_LONGEST_WAIT),
        reraise=True,
    )
    try:
        sent = again(target.send, plan, rows)
        told = replace(told, status="succeeded", sent=sent)
    except LakeLogicError as error:
        told = replace(told, status="failed", reason=str(error))
    except OSError as error:
        told = replace(told, status="failed", reason=f"a file can't be read or written: {error.strerror}.")
    return replace(told, attempts=int(again.statistics.get("attempt_number", 1)))


def _told(receipt: Receipt) -> Receipt:
    log = logger.bind(contract=receipt.contract, target=receipt.target, run_id=receipt.run_id)
    if receipt.status == "failed":
        log.error("The export of '{}' to {} failed: {}", receipt.contract, receipt.target, receipt.reason)
    elif receipt.status == "succeeded":
        what = "files" if receipt.contract == FILES else "rows"
        count = receipt.sent.files if receipt.sent.rows is None else receipt.sent.rows
        log.info("Exported {} {} of '{}' to {}", count, what, receipt.contract, receipt.target)
    return receipt
