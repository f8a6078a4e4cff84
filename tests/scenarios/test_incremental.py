"""Reading only what is new: by rows, by versions, by files, and what a run says of it."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from shutil import copytree
from typing import Any

import pyarrow as pa
import pytest
from deltalake import DeltaTable, write_deltalake

from lakelogic.errors import ContractError, SourceError, StateError
from tests.scenarios.light import light_project
from tests.scenarios.project import Project

_ROWS = """
    source: {{path: src, type: delta, load_mode: incremental{more}}}
    model: {{fields: [{{name: id, type: int, required: true}}]}}
    primary_key: [id]
    materialization: {{strategy: {strategy}, target_path: out}}
"""
_FEED = {"delta.enableChangeDataFeed": "true"}


@pytest.fixture
def project(tmp_path: Path) -> Project:
    """An empty folder for runs without Spark; those on Spark are in a file of their own."""
    return light_project(tmp_path)


def contract(more: str = "", strategy: str = "append") -> str:
    return _ROWS.format(more=f", {more}" if more else "", strategy=strategy)


def commit(project: Project, rows: list[tuple[int, int | None]], **options: Any) -> None:
    """Rows of an id and an hour of the first day of 2026."""
    at = [None if hour is None else datetime(2026, 1, 1, hour, tzinfo=UTC) for _, hour in rows]
    table = pa.table({"id": [number for number, _ in rows], "at": pa.array(at, pa.timestamp("us", tz="UTC"))})
    write_deltalake(str(project.root / "src"), table, mode="append", **options)


def test_rows_above_the_last_value_are_read_up_to_the_highest_one(project: Project) -> None:
    commit(project, [(1, 1), (2, 2)])
    first = project.run(contract("watermark_field: at"))
    assert (first.mode, first.counts.source) == ("incremental", 2)
    assert first.reason == (
        "no earlier run has read by at, so all rows are new: rows with at up to 2026-01-01 02:00:00"
    )
    commit(project, [(3, 2), (4, 3), (5, 4)])
    second = project.run()
    assert second.reason == "at tells what is new: rows with at above 2026-01-01 02:00:00 up to 2026-01-01 04:00:00"
    assert project.values("id") == [1, 2, 4, 5]
    third = project.run()
    assert (third.status, third.exit_code) == ("no_new_data", 0)
    assert third.reason == "at tells what is new: no rows with at above 2026-01-01 04:00:00"
    log = project.log()
    assert [row["status"] for row in log] == ["succeeded", "succeeded", "no_new_data"]
    assert [row["watermark"] for row in log[:2]] == ["at 2026-01-01 02:00:00", "at 2026-01-01 04:00:00"]


def test_a_row_without_a_watermark_is_refused(project: Project) -> None:
    commit(project, [(1, 1), (2, None)])
    with pytest.raises(SourceError, match="1 rows of .* have no at, so it can't be told whether they are new"):
        project.run(contract("watermark_field: at"))
    assert project.versions() is None


def test_a_failed_run_does_not_move_the_watermark(project: Project) -> None:
    commit(project, [(1, 1)])
    strict = contract("watermark_field: at") + "    quality: {row_rules: [{sql: id < 1}]}\n"
    with pytest.raises(Exception, match="1 bad row,"):
        project.run(strict + "    quarantine: {fail_on_quarantine: true}\n")
    commit(project, [(2, 2)])
    assert project.run(contract("watermark_field: at")).counts.source == 2


def test_the_highest_value_in_the_target_tells_what_is_new(project: Project) -> None:
    more = "watermark_strategy: max_target, watermark_field: at"
    commit(project, [(1, 1), (2, 2)])
    project.run(contract(more))
    commit(project, [(3, 3), (4, 1)])
    project.run()
    assert project.values("id") == [1, 2, 3]
    assert project.run().status == "no_new_data"
    # The target tells what was read, also where the state is gone.
    (project.root / ".lakelogic").rename(project.root / "lost")
    commit(project, [(5, 5)])
    assert (project.run().counts.source, project.values("id")) == (1, [1, 2, 3, 5])


def test_days_that_are_asked_for_are_read_and_no_others(project: Project) -> None:
    table = pa.table({"id": [1, 2, 3], "day": ["2026-01-31", "2026-02-01", "2026-03-01"]})
    write_deltalake(str(project.root / "src"), table)
    ranged = "watermark_strategy: date_range, watermark_field: day, from_date: 2026-02-01, to_date: 2026-02-28"
    assert project.run(contract(ranged, "merge")).counts.source == 1
    assert project.values("id") == [2]


def test_rows_within_the_lookback_are_merged_again(project: Project) -> None:
    commit(project, [(1, 1), (2, 5)])
    project.run(contract("watermark_field: at, lookback: 2h", "merge"))
    commit(project, [(3, 4), (4, 2)])
    assert project.run().counts.source == 2
    assert project.values("id") == [1, 2, 3]


def test_only_some_values_of_a_column_are_read(project: Project) -> None:
    table = pa.table({"id": [1, 2, 3], "country": ["DE", "FR", "AT"]})
    write_deltalake(str(project.root / "src"), table)
    assert project.run(contract("partition_filters: {country: [DE, AT]}")).counts.source == 2
    assert project.values("id") == [1, 3]


@pytest.mark.parametrize("partitioned", [False, True])
def test_versions_that_only_added_rows_are_read_by_their_files(project: Project, partitioned: bool) -> None:
    by = {"partition_by": ["id"]} if partitioned else {}
    commit(project, [(1, 1)], **by)
    assert project.run(contract()).reason == "no earlier run has read the table, so all of it is new"
    commit(project, [(2, 2)])
    DeltaTable(str(project.root / "src")).optimize.compact()
    commit(project, [(3, 3), (4, 4)])
    second = project.run()
    assert second.reason.startswith("versions 1 to ")
    assert (second.counts.source, project.values("id")) == (3, [1, 2, 3, 4])
    third = project.run()
    assert (third.status, "is still at version" in third.reason) == ("no_new_data", True)
    assert project.log()[1]["watermark"].startswith("version ")


def test_rows_that_were_changed_without_a_feed_are_refused(project: Project) -> None:
    commit(project, [(1, 1), (2, 2)])
    project.run(contract())
    DeltaTable(str(project.root / "src")).delete("id = 1")
    with pytest.raises(SourceError, match="were not only added \\(DELETE in version 1\\)") as caught:
        project.run()
    assert caught.value.cure is not None and "enableChangeDataFeed" in caught.value.cure
    assert project.values("id") == [1, 2]


def test_the_change_feed_tells_rows_that_were_updated(project: Project) -> None:
    commit(project, [(1, 1), (2, 2)], configuration=_FEED)
    project.run(contract(strategy="merge"))
    DeltaTable(str(project.root / "src")).update(updates={"at": "to_timestamp('2026-01-02')"}, predicate="id = 1")
    commit(project, [(3, 3)])
    second = project.run()
    assert second.reason == "versions 1 to 2 are new, from the change feed; rows that were deleted there stay"
    assert second.target is not None
    assert (second.counts.source, second.target.updated, second.target.inserted) == (2, 1, 1)


def test_a_table_that_was_made_anew_is_not_taken_for_the_old_one(project: Project) -> None:
    commit(project, [(1, 1)])
    project.run(contract())
    (project.root / "src").rename(project.root / "old")
    commit(project, [(2, 2)])
    commit(project, [(3, 3)])
    with pytest.raises(SourceError, match="another table is there now"):
        project.run()
    assert project.run(force=True).counts.source == 2


def test_a_forced_run_moves_the_watermark_too(project: Project) -> None:
    commit(project, [(1, 1)])
    project.run(contract("watermark_field: at", "merge"))
    commit(project, [(2, 2)])
    assert project.run(force=True).counts.source == 2
    assert project.run().status == "no_new_data"


def test_a_change_feed_is_applied_as_changes(project: Project) -> None:
    more = "watermark_strategy: delta_version, cdc_op_field: _change_type, cdc_timestamp_field: _commit_version"
    text = contract(more, "merge").replace("load_mode: incremental", "load_mode: cdc")
    commit(project, [(1, 1), (2, 2)], configuration=_FEED)
    project.run(text)
    table = DeltaTable(str(project.root / "src"))
    table.delete("id = 1")
    table.update(updates={"at": "to_timestamp('2026-01-02')"}, predicate="id = 2")
    commit(project, [(3, 3)])
    assert project.run().counts.source == 3
    assert project.values("id") == [2, 3]
    assert project.run().status == "no_new_data"


@pytest.mark.parametrize("more", ["partition: {format: '%Y'}", "post_ingestion: {action: delete}"])
def test_what_is_for_files_is_refused_of_a_table(project: Project, more: str) -> None:
    commit(project, [(1, 1)])
    with pytest.raises(ContractError, match="is for files, and the source is a table"):
        project.run(contract(more))


@pytest.mark.parametrize("more", ["", "watermark_field: at"])
def test_state_that_is_lost_older_or_moved_never_makes_rows_come_twice(
    project: Project, monkeypatch: pytest.MonkeyPatch, more: str
) -> None:
    state, older = project.root / ".lakelogic", project.root / "older"
    commit(project, [(1, 1)])
    project.run(contract(more))
    copytree(state, older)
    commit(project, [(2, 2)])
    project.run()
    monkeypatch.setenv("LAKELOGIC_STATE", str(older))
    with pytest.raises(StateError, match="was written by run 2 of this contract, but .* knows only 1"):
        project.run()
    monkeypatch.setenv("LAKELOGIC_STATE", str(project.root / "none"))
    with pytest.raises(StateError, match="knows only 0") as caught:
        project.run()
    assert "`lakelogic reload`. --force alone would append all rows a second time" in str(caught.value.cure)
    state.rename(project.root / "moved")
    monkeypatch.setenv("LAKELOGIC_STATE", str(project.root / "moved"))
    assert project.run().status == "no_new_data"
    assert project.values("id") == [1, 2]


def test_rows_of_files_are_told_by_a_column_with_its_declared_type(project: Project) -> None:
    more = "watermark_strategy: watermark_field, watermark_field: number"
    text = contract(more).replace("path: src, type: delta", "path: in, format: csv")
    text = text.replace("required: true}", "required: true}, {name: number, type: int}")
    project.file("in/a.csv", "id,number\n1,9\n2,10\n")
    project.run(text)
    project.file("in/a.csv", "id,number\n1,9\n2,10\n3,11\n4,100\n")
    assert project.run().reason == "number tells what is new: rows with number above 10 up to 100"
    assert project.values("id") == [1, 2, 3, 4]
