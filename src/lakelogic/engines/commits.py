"""What the log of a Delta table says of a run's commit, whichever engine made it."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from itertools import takewhile
from typing import Any

from lakelogic.engines.base import Committed, Stamp
from lakelogic.errors import WriteError

_WRITES = {"WRITE", "MERGE", "CREATE TABLE AS SELECT", "CREATE OR REPLACE TABLE AS SELECT", "REPLACE TABLE AS SELECT"}

_UNDONE = "undone"


def told(stamp: Stamp, **more: object) -> str:
    """What a commit says of the run that made it, as its `userMetadata`."""
    said = {
        "run_id": stamp.run_id,
        "app_id": stamp.app_id,
        "sequence": stamp.sequence,
        "plan": stamp.fingerprint,
        "input": stamp.input_digest,
        **more,
    }
    return json.dumps(said, sort_keys=True)


def said(entry: Mapping[str, Any]) -> dict[str, Any]:
    """What a commit says of its run; nothing, if it was not a run of ours."""
    try:
        found = json.loads(entry.get("userMetadata") or "{}")
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}


def committed_ns(history: Sequence[Mapping[str, Any]]) -> int | None:
    """When the newest of some commits was made."""
    moment = history[0].get("timestamp") if history else None
    return int(moment) * 1_000_000 if moment is not None else None


def commit_of(history: Iterable[Mapping[str, Any]], run_id: str, shown: str) -> Committed | None:
    """The commit of rows that carries this run's id."""
    for entry in history:
        if said(entry).get(_UNDONE) == run_id:
            return None
        if said(entry).get("run_id") == run_id and entry["operation"] in _WRITES:
            return _committed(entry, shown)
    return None


def undoing(run_id: str) -> str:
    """What a commit says that takes back the one of a run, as its `userMetadata`."""
    return json.dumps({_UNDONE: run_id})


def version_before(history: Iterable[Mapping[str, Any]], run_id: str, shown: str) -> int | None:
    """The version before a run's commit, -1 if that was the first; None where the run has not written.

    Raises:
        WriteError: others have written since.
    """
    later = list(takewhile(lambda entry: said(entry).get("run_id") != run_id, entries := list(history)))
    if len(later) == len(entries) or any(said(entry).get(_UNDONE) == run_id for entry in later):
        return None
    if any(entry["operation"] in _WRITES for entry in later):
        raise WriteError(
            f"{shown} holds rows of run {run_id}, which was not finished, and others have written to it since.",
            cure="Restore the table to the version before that run, then run again.",
        )
    return int(entries[len(later)]["version"]) - 1


def require_commit(found: Committed | None, shown: str, run_id: str) -> Committed:
    """A write whose number the table has seen is dropped; such a write has no commit of ours.

    Raises:
        WriteError: the write was dropped.
    """
    if found is None:
        raise WriteError(
            f"{shown} did not take the rows of run {run_id}: a later run of this contract has written to it.",
            cure="The state folder may be older than the table. Restore it, or run with --force.",
        )
    return found


def _committed(entry: Mapping[str, Any], shown: str) -> Committed:
    metrics = entry.get("operationMetrics") or {}

    def count(*names: str) -> int | None:
        return next((int(metrics[name]) for name in names if name in metrics), None)

    # A merge that found nothing to do leaves a commit without rows, which says what it was.
    operation = str(said(entry).get("operation") or entry["operation"])
    merged = operation == "MERGE"
    idle = 0 if merged and entry["operation"] != "MERGE" else None
    return Committed(
        location=shown,
        version=int(entry["version"]),
        # MERGE counts rows that it only copied as output.
        rows=None if merged else _added(count("numOutputRows", "num_added_rows"), count("numCopiedRows")),
        inserted=idle if idle is not None else count("numTargetRowsInserted", "num_target_rows_inserted"),
        updated=idle if idle is not None else count("numTargetRowsUpdated", "num_target_rows_updated"),
        deleted=idle if idle is not None else count("numTargetRowsDeleted", "num_target_rows_deleted"),
        operation=operation,
    )


def _added(written: int | None, copied: int | None) -> int | None:
    """Spark counts rows among its output that share a file with a replaced slice and were only copied."""
    return written if written is None else written - (copied or 0)
