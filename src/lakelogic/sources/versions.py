"""What was committed to a Delta table between two versions, as far as its log tells."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import TYPE_CHECKING

from lakelogic.errors import SourceError
from lakelogic.sources.read import CHANGE_TYPE, COMMIT_VERSION, TableToRead
from lakelogic.sql.types import Columns

if TYPE_CHECKING:
    from deltalake import DeltaTable

# Kinds of rows in a change feed that are there after the change.
NEW_ROWS = ("insert", "update_postimage")
_FEED = "delta.enableChangeDataFeed"
_NO_CHANGE = {"OPTIMIZE", "VACUUM START", "VACUUM END", "SET TBLPROPERTIES", "ADD COLUMNS", "ADD CONSTRAINT"}
_CURE = f"Set {_FEED} on the table, or read it with load_mode full; --force reads all of it once."

OpenAt = Callable[[int], "DeltaTable"]


def resolved(wanted: TableToRead, open_at: OpenAt, shown: str) -> TableToRead:
    """A table at its version, with how what was committed after another one is read.

    Raises:
        SourceError: rows were updated or deleted, and the table has no change feed that tells which.
    """
    changes, until = wanted.changes, wanted.version
    if changes is None or changes.after is None or until is None or until <= changes.after:
        return wanted
    if _has_feed(open_at, changes.after, until):
        return replace(wanted, changes=replace(changes, feed=True))
    if changes.told:
        raise SourceError(f"{shown} has kept no change feed since version {changes.after}.", cure=_CURE)
    added = tuple(_added(changes.after, until, open_at, shown))
    return replace(wanted, changes=replace(changes, files=added))


def with_changes(wanted: TableToRead, own: Columns) -> Columns:
    """The columns of a table, and those that tell of its changes where they are wanted."""
    return own.with_(CHANGE_TYPE, COMMIT_VERSION) if wanted.changes and wanted.changes.told else own


def _has_feed(open_at: OpenAt, after: int, until: int) -> bool:
    """Whether the table has kept a change feed over all of the commits."""
    return all(open_at(version).metadata().configuration.get(_FEED) == "true" for version in {after + 1, until})


def _added(after: int, until: int, open_at: OpenAt, shown: str) -> Iterable[str]:
    """The files that the commits have added, where they did nothing else than add."""
    table = open_at(until)
    _refuse_what_hides(table, shown)
    known = {int(entry["version"]): str(entry["operation"]) for entry in table.history() if "version" in entry}
    if missing := next((version for version in range(after + 1, until + 1) if version not in known), None):
        raise SourceError(f"the log of {shown} no longer tells of version {missing}.", cure=_CURE)
    began = after
    # Joining small files replaces them without changing a row, so what was added before is looked for before it.
    for version in (*(v for v in range(after + 1, until + 1) if known[v] == "OPTIMIZE"), until + 1):
        earlier, later = set(open_at(began).file_uris()), set(open_at(version - 1).file_uris())
        if earlier - later:
            changed = [f"{known[v]} in version {v}" for v in range(began + 1, version) if known[v] not in _NO_CHANGE]
            raise SourceError(f"rows of {shown} were not only added ({', '.join(changed)}).", cure=_CURE)
        yield from sorted(later - earlier)
        began = version


def _refuse_what_hides(table: DeltaTable, shown: str) -> None:
    """Files alone do not tell the rows of such a table."""
    features = set(table.protocol().reader_features or ())
    mapped = table.metadata().configuration.get("delta.columnMapping.mode", "none") != "none"
    if mapped or features & {"deletionVectors", "typeWidening"}:
        what = "column mapping" if mapped else "deletion vectors or widened types"
        raise SourceError(
            f"{shown} has {what} and no change feed, so new rows can't be told from its files.", cure=_CURE
        )
