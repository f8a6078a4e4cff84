"""What the snapshots of an Iceberg table say of a run's commit, whichever engine made it."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from lakelogic.engines.base import Committed, Stamp
from lakelogic.errors import SourceError, WriteError
from lakelogic.sources.read import TableToRead

RUN_ID = "lakelogic.run-id"
UNDONE = "lakelogic.undone"
_APP_ID = "lakelogic.app-id"
_SEQUENCE = "lakelogic.sequence"
_OPERATION = "lakelogic.operation"
_MERGED = "spark.merge-into.num-target-rows-"


@dataclass(frozen=True)
class Snapshot:
    """A commit of an Iceberg table; `parent` is the one before it."""

    id: int
    parent: int | None
    summary: Mapping[str, str]


def refuse_changes(wanted: TableToRead) -> None:
    """
    Raises:
        SourceError: only what was committed since a snapshot is wanted, which is not read from Iceberg tables.
    """
    if wanted.changes is not None:
        raise SourceError(
            f"what was added to the Iceberg table {wanted.location} can't be told by its versions.",
            cure="Use a watermark_field, or load_mode full.",
        )


def told(stamp: Stamp, operation: str) -> dict[str, str]:
    """What a snapshot says of the run that made it."""
    said = {RUN_ID: stamp.run_id, _APP_ID: stamp.app_id, _SEQUENCE: str(stamp.sequence), _OPERATION: operation}
    return {**said, "lakelogic.plan": stamp.fingerprint, "lakelogic.input": stamp.input_digest}


def metadata_file(folder: Path) -> Path | None:
    """The newest metadata of a table in a folder; none where there is no table."""
    found = {int(file.name[1:].split(".")[0]): file for file in (folder / "metadata").glob("v[0-9]*.metadata.json")}
    return found[max(found)] if found else None


def snapshots_in(folder: Path) -> list[Snapshot]:
    """The snapshots that lead to what a table in a folder is now, newest first."""
    file = metadata_file(folder)
    if file is None:
        return []
    data = json.loads(file.read_text(encoding="utf-8"))
    found = {
        each["snapshot-id"]: Snapshot(each["snapshot-id"], each.get("parent-snapshot-id"), each.get("summary", {}))
        for each in data.get("snapshots", ())
    }
    return lineage(found.values(), data.get("current-snapshot-id"))


def lineage(snapshots: Iterable[Snapshot], current: int | None) -> list[Snapshot]:
    """Those of some snapshots that lead to one of them, newest first: what was rolled back is not among them."""
    by_id = {each.id: each for each in snapshots}
    chain: list[Snapshot] = []
    while current is not None and (found := by_id.get(current)) is not None:
        chain.append(found)
        current = found.parent
    return chain


def commit_of(snapshots: Iterable[Snapshot], run_id: str, shown: str) -> Committed | None:
    """The commit of rows that carries this run's id."""
    about = (each for each in snapshots if run_id in (each.summary.get(RUN_ID), each.summary.get(UNDONE)))
    found = next(about, None)
    if found is None or UNDONE in found.summary:
        return None
    operation, summary = found.summary.get(_OPERATION, ""), found.summary
    merged = operation == "MERGE"
    # What is zero is left out of a summary.
    counted = {kind: int(summary.get(f"{_MERGED}{kind}", 0)) for kind in ("inserted", "updated", "deleted")}
    known = any(name.startswith(_MERGED) for name in summary) or "added-records" not in summary
    return Committed(
        shown,
        found.id,
        None if merged else int(summary.get("added-records", 0)),
        **(counted if merged and known else {}),
        operation=operation,
    )


def last_sequence(snapshots: Iterable[Snapshot], app_id: str) -> int:
    """The highest number that a writer has committed, as far as snapshots are kept."""
    ours = (each.summary for each in snapshots if each.summary.get(_APP_ID) == app_id)
    return max((int(summary[_SEQUENCE]) for summary in ours), default=0)


def parent_of(snapshots: Iterable[Snapshot], run_id: str, shown: str) -> tuple[bool, int | None]:
    """Whether a run's commit is the newest, and the snapshot before it.

    Raises:
        WriteError: others have written since.
    """
    chain = list(snapshots)
    place = next((i for i, each in enumerate(chain) if each.summary.get(RUN_ID) == run_id), None)
    if place is None:
        return False, None
    if place:
        raise WriteError(
            f"{shown} holds rows of run {run_id}, which was not finished, and others have written to it since.",
            cure="Roll the table back to the snapshot before that run, then run again.",
        )
    return True, chain[0].parent
