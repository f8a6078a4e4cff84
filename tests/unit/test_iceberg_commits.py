"""What snapshots say of runs."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from lakelogic.engines.base import Stamp
from lakelogic.engines.iceberg_commits import (
    UNDONE,
    Snapshot,
    commit_of,
    last_sequence,
    parent_of,
    refuse_changes,
    snapshots_in,
    told,
)
from lakelogic.errors import SourceError, WriteError
from lakelogic.sources.read import Changes, TableToRead


def _of_run(number: int, operation: str = "WRITE", **summary: str) -> Snapshot:
    stamp = Stamp("app", number, f"r{number}", "plan", "input")
    said = {key.replace("_", "-"): value for key, value in summary.items()}
    return Snapshot(number, number - 1 or None, {**told(stamp, operation), **said})


def test_rows_are_counted_by_the_summary_and_what_it_leaves_out_is_zero() -> None:
    written = commit_of([_of_run(1, added_records="7")], "r1", "t")
    assert written is not None and (written.rows, written.version, written.inserted) == (7, 1, None)
    empty = commit_of([_of_run(1)], "r1", "t")
    assert empty is not None and empty.rows == 0
    summary = {"spark.merge-into.num-target-rows-inserted": "2", "added-records": "9"}
    merged = commit_of([Snapshot(1, None, {**_of_run(1, "MERGE").summary, **summary})], "r1", "t")
    assert merged is not None and (merged.rows, merged.inserted, merged.updated) == (None, 2, 0)


def test_a_merge_that_does_not_say_what_it_did_has_unknown_counts() -> None:
    merged = commit_of([_of_run(1, "MERGE", added_records="9")], "r1", "t")
    assert merged is not None and (merged.rows, merged.inserted, merged.updated) == (None, None, None)


def test_what_was_taken_back_is_not_found() -> None:
    undone = Snapshot(2, 1, {UNDONE: "r1"})
    assert commit_of([undone, _of_run(1)], "r1", "t") is None


def test_a_run_is_undone_only_while_it_is_the_newest() -> None:
    chain = [_of_run(2), _of_run(1)]
    assert parent_of(chain, "r2", "t") == (True, 1)
    assert parent_of(chain, "r3", "t") == (False, None)
    assert last_sequence(chain, "app") == 2 and last_sequence(chain, "other") == 0
    with pytest.raises(WriteError, match="others have written to it since"):
        parent_of(chain, "r1", "t")


def test_only_snapshots_that_lead_to_the_current_one_count(tmp_path: Path) -> None:
    assert snapshots_in(tmp_path) == []
    snapshots: list[dict[str, Any]] = [
        {"snapshot-id": 1, "summary": {}},
        {"snapshot-id": 2, "parent-snapshot-id": 1, "summary": {}},
        {"snapshot-id": 3, "parent-snapshot-id": 1, "summary": {}},
    ]
    (tmp_path / "metadata").mkdir()
    for number, current in ((9, 2), (10, 3)):
        text = json.dumps({"current-snapshot-id": current, "snapshots": snapshots})
        (tmp_path / "metadata" / f"v{number}.metadata.json").write_text(text)
    assert [snapshot.id for snapshot in snapshots_in(tmp_path)] == [3, 1]


def test_changes_since_a_snapshot_are_refused() -> None:
    with pytest.raises(SourceError, match="can't be told by its versions"):
        refuse_changes(TableToRead("t", False, changes=Changes(after=3), format="iceberg"))
