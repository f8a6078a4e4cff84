"""The input of a run: pinned, and with its columns once they are known."""

from __future__ import annotations

import secrets
from dataclasses import dataclass, field, replace
from typing import Any, Protocol, Self

from lakelogic.contract import LoadedContract
from lakelogic.engines.base import Engine
from lakelogic.errors import SourceError
from lakelogic.formats.base import refuse_repeated
from lakelogic.plan.model import ReadPlan
from lakelogic.plan.names import FILE, MALFORMED, POSITION
from lakelogic.sources.delta import delta_columns
from lakelogic.sources.discover import SourceSpec, list_source, refuse_twofold, source_columns, to_read
from lakelogic.sources.files import Listing
from lakelogic.sources.read import Changes, FilesToRead, TableToRead
from lakelogic.sql.types import STRING, Column, Columns, is_unknown, type_name
from lakelogic.state.claims import Pinned


class Input(Protocol):
    """What a run reads."""

    @property
    def pinned(self) -> Pinned: ...
    @property
    def read(self) -> ReadPlan: ...
    @property
    def columns(self) -> Columns: ...
    @property
    def rows(self) -> int | None: ...
    @property
    def is_empty(self) -> bool: ...
    @property
    def newest_ns(self) -> int | None:
        """When the newest data arrived, read before or now; None where it is not known."""

    def guessed(self) -> Columns | None:
        """The columns as far as they can be told without an engine, or None."""

    def known(self) -> Self | None:
        """The same input with its columns, where no engine is needed to be sure of them."""

    def everything(self) -> Self:
        """The same input as if nothing of it had been read before."""

    def shaped(self, engine: Engine[Any]) -> Self:
        """The same input with its columns."""

    def frame(self, engine: Engine[Any]) -> Any:
        """The rows."""

    def rows_before(self, engine: Engine[Any]) -> int | None:
        """How many rows were read, where the contract's own code made these of them."""


@dataclass(frozen=True)
class FrameInput:
    """A frame that the caller handed in. Without a batch id it is never the same input twice."""

    given: Any
    pinned: Pinned
    read: ReadPlan = field(default=ReadPlan("frame", "frame", "frame", "full", "a frame was given", ()))
    columns: Columns = field(default_factory=Columns)
    rows: int | None = None
    is_empty: bool = False
    newest_ns: int | None = None

    @staticmethod
    def of(frame: Any, batch_id: str | None) -> FrameInput:
        return FrameInput(frame, Pinned("frame", "frame", batch_id=batch_id or secrets.token_hex(8)))

    def guessed(self) -> Columns | None:
        return None

    def known(self) -> FrameInput | None:
        return None

    def everything(self) -> FrameInput:
        return self

    def shaped(self, engine: Engine[Any]) -> FrameInput:
        columns = engine.frame_columns(self.given)
        refuse_repeated("the frame", columns)
        return replace(self, columns=columns, read=described(self.read, columns))

    def frame(self, engine: Engine[Any]) -> Any:
        return engine.adopt(self.given)

    def rows_before(self, engine: Engine[Any]) -> int | None:
        return None


@dataclass(frozen=True)
class TableInput:
    """A Delta table, or a table of the catalog, at a pinned version; or what was committed to it since another one."""

    table: TableToRead
    pinned: Pinned
    read: ReadPlan
    columns: Columns = field(default_factory=Columns)
    rows: int | None = None
    is_empty: bool = False
    newest_ns: int | None = None

    def guessed(self) -> Columns | None:
        return None if self.table.is_name or self.table.changes else delta_columns(self.table.location)

    def known(self) -> TableInput | None:
        return None

    def everything(self) -> TableInput:
        return self

    def shaped(self, engine: Engine[Any]) -> TableInput:
        table, columns = engine.table_columns(self.table)
        changes = table.changes
        pinned = replace(self.pinned, version=table.version, table_id=table.id)
        read = described(self.read, columns)
        shaped = replace(self, table=table, pinned=pinned, columns=columns, read=read, rows=table.rows)
        shaped = replace(shaped, newest_ns=table.committed_ns)
        if changes is None or changes.after is None:
            return shaped
        self._refuse_another(table, changes.after)
        nothing = table.version == changes.after or not (changes.feed or changes.files)
        read = replace(read, reason=_told_changes(changes, table.version))
        return replace(shaped, rows=None, read=read, is_empty=nothing)

    def _refuse_another(self, table: TableToRead, after: int) -> None:
        expected = self.pinned.table_id
        if (table.version or 0) < after or (expected and table.id and expected != table.id):
            raise SourceError(
                f"version {after} of {table.location} was read, and another table is there now.",
                cure="--force reads all of it.",
            )

    def frame(self, engine: Engine[Any]) -> Any:
        return engine.read_table(self.table)

    def rows_before(self, engine: Engine[Any]) -> int | None:
        return None


@dataclass(frozen=True)
class FilesInput:
    """Files of one format."""

    loaded: LoadedContract
    spec: SourceSpec
    root: str
    pinned: Pinned
    read: ReadPlan
    newest_ns: int | None = None
    columns: Columns = field(default_factory=Columns)
    files: FilesToRead | None = None

    @property
    def rows(self) -> int | None:
        return self.files.rows if self.files else None

    @property
    def is_empty(self) -> bool:
        return not self.pinned.files

    def guessed(self) -> Columns | None:
        files = self._to_read()
        if not files.kind.needs_engine:
            return _with_origin(files)
        found = files.kind.guess(files.files, files.options)
        if found is None or (self._flattens and any(is_unknown(column.type) for column in found)):
            return None
        declared = (Column(name, STRING) for name in files.as_text if name in found)
        return _with_origin(replace(files, columns=found.with_(*declared)))

    @property
    def _flattens(self) -> bool:
        """Whether names depend on types, which only the engine can tell."""
        return bool(self.loaded.source and self.loaded.source.flatten_nested)

    def known(self) -> FilesInput | None:
        files = self._to_read()
        return None if files.kind.needs_engine else self._with(files)

    def everything(self) -> FilesInput:
        files = list_source(self.spec).files
        if not files:
            raise SourceError(f"no file matches {self.spec.shown}, so its columns are unknown.", cure="Check the path.")
        return replace(self, pinned=replace(self.pinned, files=files))

    def shaped(self, engine: Engine[Any]) -> FilesInput:
        files = self._to_read()
        return self._with(refuse_twofold(engine.files_columns(files)) if files.kind.needs_engine else files)

    def _with(self, files: FilesToRead) -> FilesInput:
        columns = _with_origin(files)
        read = described(replace(self.read, format=files.format), columns)
        return replace(self, files=files, columns=columns, read=read)

    def frame(self, engine: Engine[Any]) -> Any:
        return engine.read_files(self.files or self._to_read())

    def rows_before(self, engine: Engine[Any]) -> int | None:
        return None

    def _to_read(self) -> FilesToRead:
        return to_read(self.loaded, self.spec, Listing(self.root, self.pinned.files), self.pinned.files)


def _told_changes(changes: Changes, until: int | None) -> str:
    if until == changes.after:
        return f"the table is still at version {until}, which was read"
    new = f"versions {(changes.after or 0) + 1} to {until} are new"
    if changes.feed:
        return f"{new}, from the change feed" + ("" if changes.told else "; rows that were deleted there stay")
    return f"{new}, {len(changes.files)} files were added"


def described(read: ReadPlan, columns: Columns) -> ReadPlan:
    return replace(read, columns=tuple((column.name, type_name(column.type)) for column in columns.visible))


def _with_origin(files: FilesToRead) -> Columns:
    hidden = (FILE, POSITION, MALFORMED) if files.kind.may_be_malformed else (FILE, POSITION)
    return Columns((*source_columns(files), *hidden))
