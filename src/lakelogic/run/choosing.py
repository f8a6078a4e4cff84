"""What of a source the next run reads: all, what is new, a slice once more, or the input of an unfinished run."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Literal

from lakelogic.contract import LoadedContract
from lakelogic.errors import ContractError, GateClosed, LakeLogicError, StateError, UsageError
from lakelogic.formats.bytes import is_uri
from lakelogic.plan.locations import Location
from lakelogic.plan.model import ReadPlan, TablePlan
from lakelogic.plan.rows import RowWindow, Slice
from lakelogic.run.inputs import FilesInput, Input, TableInput
from lakelogic.run.windows import Rows, RowsInput
from lakelogic.sources.days import Days
from lakelogic.sources.discover import SourceSpec, list_source
from lakelogic.sources.files import Listing, SourceFile
from lakelogic.sources.partitions import narrowed
from lakelogic.sources.read import CHANGE_TYPE, Changes, TableToRead
from lakelogic.sources.watermarks.base import Asked, Choice, strategy_of, watermarks
from lakelogic.state.claims import Pinned
from lakelogic.state.past import RunsBefore
from lakelogic.write.operations import AppendRows


@dataclass(frozen=True)
class Choosing:
    """One source, and what is known of the runs before."""

    loaded: LoadedContract
    spec: SourceSpec
    past: RunsBefore
    target: Location
    force: bool = False
    part: Slice | None = None
    days: Days | None = None

    def input(self, pinned: Pinned | None) -> Input:
        """What to read.

        Raises:
            SourceError: the source can't be listed.
            ContractError: it can't be read in the way that the contract wants.
        """
        return self._table(pinned) if self.spec.is_table else self._files(pinned)

    def _files(self, pinned: Pinned | None) -> Input:
        whole = list_source(self.spec)
        if whole.root == self.spec.location.text:
            self._refuse_own_output(whole.root)
        listing, left_out = self._of_days(*self._narrowed(whole))
        choice = self._choice(listing, pinned)
        files = listing.files if choice.files is None else choice.files
        reason = (choice.reason if pinned or listing.files else self._nothing_in(whole.root)) + left_out
        read = self._read("files", self.spec.format or "", reason)
        newest = max((file.modified_ns for file in listing.files), default=None)
        chosen = pinned or Pinned(self.spec.location.text, "files", files)
        found = FilesInput(self.loaded, self.spec, whole.root, chosen, read, newest)
        return RowsInput.of(found, self.loaded, self._rows(choice, pinned))

    def _nothing_in(self, root: str) -> str:
        """Why there is no input; a folder that is not there is more likely a slip than one that is empty."""
        gone = not is_uri(root) and not Path(root).exists()
        return f"no file matches {self.spec.shown}" + (f", and there is no folder {root}" if gone else "")

    def _table(self, pinned: Pinned | None) -> Input:
        self._refuse_of_files()
        choice = self._choice(None, pinned)
        location, kind = self.spec.location, self.spec.format or "delta"
        changes = self._changes(choice)
        version = pinned.version if pinned else choice.after if self.part else None
        table = TableToRead(location.text, location.is_name, version, changes=changes, format=kind)
        expected = pinned.table_id if pinned else self.past.table_id if choice.after is not None else None
        after = None if self.part else choice.after
        fresh = Pinned(location.text, "table", version=version, table_id=expected, after=after)
        read = self._read("table", self.spec.format or "table", choice.reason)
        found = TableInput(table, pinned or fresh, read)
        filters = {
            name: values if isinstance(values, tuple) else (values,)
            for name, values in self.spec.declared.partition_filters.items()
        }
        return RowsInput.of(found, self.loaded, replace(self._rows(choice, pinned), values=filters))

    def _shown(self) -> str:
        return self.spec.location.text

    def _read(self, kind: Literal["files", "table"], form: str, reason: str) -> ReadPlan:
        mode = self.spec.declared.load_mode
        return ReadPlan(kind, self._shown(), form, mode, reason, (), pattern=self.spec.pattern)

    def _choice(self, listing: Listing | None, pinned: Pinned | None) -> Choice:
        if pinned is not None:
            reason = "the input of an unfinished run is read again"
            versions = pinned.after is not None
            return Choice(reason, pinned.files, pinned.rows, versions=versions, after=pinned.after)
        if self.part is not None:
            return self._again(self.part, listing)
        if not self.spec.incremental:
            return Choice("--force reads again what was read before" if self.force else self._whole())
        strategy = watermarks.get(strategy_of(self.spec.declared, is_table=listing is None))()
        past = NothingBefore() if self.force else self.past
        try:
            choice = strategy.choose(Asked(self.spec.declared, listing, past, Path(self.spec.folder)))
        except StateError:
            # What earlier runs left behind is to blame, not what the contract says.
            raise
        except LakeLogicError as error:
            raise error.at(self.loaded.place("source", "watermark_strategy")) from None
        if not self.force:
            return choice
        return replace(choice, reason="--force reads again what was read before", above_target=False)

    def _whole(self) -> str:
        return "a table is read as a whole" if self.spec.is_table else "load_mode is full"

    def _again(self, part: Slice, listing: Listing | None) -> Choice:
        """What runs before have read, and nothing else: what is new is for the next incremental run."""
        reason = f"{part} is processed again"
        if listing is None:
            return self._again_of_table(reason)
        files = tuple(file for file in listing.files if not self.spec.incremental or self.past.has(file))
        gone = len(self.past.paths - {file.path for file in files}) if self.spec.incremental else 0
        if gone and self.loaded.model.materialization.reprocess_policy == "overwrite_partition_safe":
            raise GateClosed(
                f"{gone} files that were read before are gone or have changed, and their rows would be lost.",
                cure="Bring them back, or use 'reprocess_policy: overwrite_partition'.",
            )
        said = f"; {gone} files that were read before are gone or have changed" if gone else ""
        return Choice(reason + said, _of_slice(files, listing, part))

    def _again_of_table(self, reason: str) -> Choice:
        if not self.spec.incremental:
            return Choice(reason)
        column, version = self.spec.declared.watermark_field, self.past.version
        reached = self.past.window(column) if column else None
        if reached is None and version is None:
            raise UsageError(f"nothing of {self._shown()} was read yet.", cure="Run the contract first.")
        rows = RowWindow(reached.column, None, reached.high) if reached else None
        return Choice(reason, rows=rows, after=version)

    def _changes(self, choice: Choice) -> Changes | None:
        declared = self.spec.declared
        told = declared.load_mode == "cdc" and (declared.cdc_op_field or "").lower() == CHANGE_TYPE.name
        if not (choice.versions or told):
            return None
        return Changes(None if self.part else choice.after, told)

    def _rows(self, choice: Choice, pinned: Pinned | None) -> Rows:
        part = pinned.slice if pinned else self.part
        format_ = self.loaded.model.materialization.format
        above = TablePlan(self.target.text, self.target.is_name, "append", AppendRows(), format=format_)
        return Rows(choice.rows, part, above=above if choice.above_target else None)

    def _narrowed(self, listing: Listing) -> tuple[Listing, str]:
        declared = self.spec.declared
        if self.part is not None and declared.partition is not None:
            # What was read before is read again, whatever days would be read today.
            declared = declared.model_copy(update={"partition": declared.partition.of_all_days})
        try:
            return narrowed(listing, declared, datetime.now(UTC).date())
        except ContractError as error:
            raise error.at(self.loaded.place("source", "partition")) from None

    def _of_days(self, listing: Listing, left_out: str) -> tuple[Listing, str]:
        """The files of the days that are asked for; what is always read as a whole has none."""
        if self.days is None or not self.spec.incremental:
            return listing, left_out
        files = self.days.of(listing, self.spec.declared)
        return replace(listing, files=files), f"{left_out}; only files of {self.days}"

    def _refuse_of_files(self) -> None:
        declared = self.spec.declared
        cleared = declared.post_ingestion is not None and declared.post_ingestion.action != "retain"
        for key in [key for key, said in (("partition", declared.partition), ("post_ingestion", cleared)) if said]:
            raise ContractError(
                f"{key} is for files, and the source is a table.",
                cure="Remove it; partition_filters narrows a table." if key == "partition" else "Remove it.",
                place=self.loaded.place("source", key),
            )

    def _refuse_own_output(self, root: str) -> None:
        if not self.target.is_name and Path(self.target.text).is_relative_to(root):
            raise ContractError(
                f"the target {self.target.text} lies in the source {root}, so its files would be read as data.",
                cure="Move one of them, or name the source by a pattern such as *.csv.",
                place=self.loaded.place("materialization"),
            )


class NothingBefore:
    """The past of a source that no run has read."""

    is_empty = True
    newest_ns: int | None = None
    version: int | None = None

    def has(self, file: SourceFile) -> bool:
        return False

    def has_path(self, path: str) -> bool:
        return False

    def window(self, column: str) -> RowWindow | None:
        return None


def _of_slice(files: Iterable[SourceFile], listing: Listing, part: Slice) -> tuple[SourceFile, ...]:
    """Files of folders that tell by their names that the slice is not in them are left out."""
    name = (part.column or "").lower()
    known = [each.lower() for each in listing.partition_names()]
    if name not in known:
        return tuple(files)
    return tuple(file for file in files if part.may_have(listing.values(file)[name]))
