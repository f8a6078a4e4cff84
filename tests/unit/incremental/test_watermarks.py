"""What each watermark strategy chooses, and what it says of it."""

from __future__ import annotations

from pathlib import Path

import pytest

from lakelogic.contract.source import Source
from lakelogic.errors import ContractError, SourceError
from lakelogic.plan.rows import RowWindow
from lakelogic.sources.watermarks.base import strategy_of, watermarks
from lakelogic.sources.watermarks.manifest import names_in
from tests.unit.incremental.builders import Told, chosen, file

_DAY = 86_400 * 10**9
_READ = Told(frozenset({file("a", 100), file("b", 200)}))


def test_every_strategy_that_a_contract_may_name_is_there() -> None:
    declared = Source.model_fields["watermark_strategy"].annotation
    assert all(f"'{name}'" in str(declared) for name in watermarks.names())
    assert len(watermarks.names()) == 8


@pytest.mark.parametrize(
    ("keys", "is_table", "strategy"),
    [
        ({}, False, "pipeline_log"),
        ({"watermark_field": "at"}, False, "pipeline_log"),
        ({"watermark_strategy": "watermark_field"}, False, "watermark_field"),
        ({}, True, "delta_version"),
        ({"watermark_field": "at"}, True, "watermark_field"),
        ({"watermark_strategy": "pipeline_log", "watermark_field": "at"}, True, "watermark_field"),
        ({"watermark_strategy": "max_target", "watermark_field": "at"}, True, "max_target"),
    ],
)
def test_a_source_that_names_no_strategy_gets_one_that_loses_no_row(
    keys: dict[str, str], is_table: bool, strategy: str
) -> None:
    assert strategy_of(Source.model_validate(keys), is_table=is_table) == strategy


def test_by_the_log_a_late_file_with_an_old_time_is_read_and_a_changed_one_is_said() -> None:
    there = [file("a", 100), file("b", 201), file("late", 5)]
    choice = chosen({}, there, _READ)
    assert choice.files == (file("b", 201), file("late", 5))
    assert choice.reason == "2 of 3 files are new since the last run, 1 of them changed since they were read"


def test_by_time_a_late_file_is_left_out_and_that_is_said() -> None:
    there = [file("a", 100), file("b", 200), file("same time", 200), file("late", 150), file("new", 300)]
    choice = chosen({"watermark_strategy": "file_mtime"}, there, _READ)
    assert choice.files == (file("same time", 200), file("new", 300))
    assert "1 older ones that no run has read are left out" in choice.reason
    assert chosen({"watermark_strategy": "file_mtime"}, there).files == tuple(there)


def test_with_lookback_files_come_again_and_no_new_one_is_left_out() -> None:
    past = Told(frozenset({file("old", _DAY), file("a", 8 * _DAY), file("b", 10 * _DAY)}))
    there = [*past.files, file("late", 1), file("new", 11 * _DAY)]
    choice = chosen({"watermark_strategy": "lookback", "lookback": "2 days"}, sorted(there), past)
    assert choice.files is not None
    assert {each.path for each in choice.files} == {"/in/a", "/in/b", "/in/late", "/in/new"}
    assert choice.reason == "2 files are new, and 2 of the last 2 days come again"


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("m.txt", "a.csv\n\n# a comment\nb.csv\n"),
        ("m.csv", "id,path\n1,a.csv\n2,b.csv\n"),
        ("m.json", '["a.csv", "b.csv"]'),
        ("m.json", '{"files": [{"path": "a.csv"}, {"name": "b.csv"}]}'),
        ("list", '["a.csv",\n "b.csv"]'),
    ],
)
def test_a_manifest_may_be_lines_csv_or_json(name: str, text: str) -> None:
    assert names_in(text, name) == ["a.csv", "b.csv"]


def test_a_manifest_decides_which_files_are_read(tmp_path: Path) -> None:
    (tmp_path / "list.txt").write_text("new\n/in/a\n")
    there = [file("a", 100), file("new", 1), file("not listed", 1)]
    source = {"watermark_strategy": "manifest", "manifest_path": "list.txt"}
    assert chosen(source, there, _READ, tmp_path).files == (file("new", 1),)
    (tmp_path / "list.txt").write_text("new\nnot yet there\n")
    with pytest.raises(SourceError, match="lists not yet there, which the source does not have"):
        chosen(source, there, _READ, tmp_path)
    (tmp_path / "list.txt").write_text('{"a": 1}')
    with pytest.raises(SourceError, match="lists"):
        chosen(source, there, _READ, tmp_path)


def test_a_range_of_dates_chooses_files_by_their_time_in_utc() -> None:
    there = [file("before", 2 * _DAY - 1), file("first", 2 * _DAY), file("last", 4 * _DAY - 1), file("after", 4 * _DAY)]
    source = {"watermark_strategy": "date_range", "from_date": "1970-01-03", "to_date": "1970-01-04"}
    assert chosen(source, there).files == (file("first", 2 * _DAY), file("last", 4 * _DAY - 1))
    again = chosen(source, there, Told(frozenset({file("first", 2 * _DAY)})))
    assert again.files == (file("last", 4 * _DAY - 1),)


def test_a_range_of_dates_chooses_files_by_dated_folders() -> None:
    there = [file(f"{day}/x.csv") for day in ("2026/01/31", "2026/02/01", "2026/02/28", "2026/03/01")]
    source = {
        "watermark_strategy": "date_range",
        "from_date": "2026-02-01",
        "to_date": "2026-02-28",
        "partition": {"format": "%Y/%m/%d"},
    }
    assert chosen(source, there).files == (file("2026/02/01/x.csv"), file("2026/02/28/x.csv"))


def test_a_range_of_dates_chooses_rows_by_a_column() -> None:
    source = {"watermark_strategy": "date_range", "watermark_field": "at", "from_date": "2026-02-01"}
    assert chosen(source).rows == RowWindow("at", "2026-02-01", None, low_included=True)
    bounded = chosen({**source, "to_date": "2026-02-28"}).rows
    assert bounded == RowWindow("at", "2026-02-01", "2026-03-01", low_included=True, high_included=False)


def test_rows_above_the_last_value_are_new() -> None:
    past = Told(windows={"at": RowWindow("at", None, "2026-01-05 10:00:00.25")})
    assert chosen({"watermark_field": "at"}).rows == RowWindow("at")
    assert chosen({"watermark_field": "at"}, past=past).rows == RowWindow("at", "2026-01-05 10:00:00.25")
    back = chosen({"watermark_field": "at", "lookback": "36h"}, past=past).rows
    assert back == RowWindow("at", "2026-01-03 22:00:00.250000", low_included=True)
    days = Told(windows={"at": RowWindow("at", None, "2026-03-01")})
    assert chosen({"watermark_field": "at", "lookback": "1 day"}, past=days).rows == RowWindow(
        "at", "2026-02-28", low_included=True
    )
    target = chosen({"watermark_field": "at", "watermark_strategy": "max_target"}, past=past)
    assert target.above_target and target.rows == RowWindow("at", "2026-01-05 10:00:00.25")


def test_commits_after_the_last_version_are_new() -> None:
    assert chosen({}).after is None
    assert chosen({}, past=Told(version=7)).after == 7


@pytest.mark.parametrize(
    ("keys", "is_table", "said"),
    [
        ({"watermark_strategy": "file_mtime"}, True, "is for files, and the source is a table"),
        ({"watermark_strategy": "delta_version"}, False, "is for a Delta table, and the source is files"),
        ({"watermark_strategy": "max_target"}, True, "needs watermark_field"),
        ({"watermark_strategy": "manifest"}, False, "needs manifest_path"),
        ({"watermark_strategy": "lookback"}, False, "needs lookback"),
        ({"watermark_strategy": "date_range"}, False, "needs from_date or to_date"),
        (
            {"watermark_strategy": "date_range", "from_date": "2026-02-02", "to_date": "2026-02-01"},
            False,
            "from_date 2026-02-02 is after to_date 2026-02-01",
        ),
        ({"lookback": "7 days"}, False, "lookback has no meaning for files"),
    ],
)
def test_what_a_strategy_needs_and_can_not_do_is_told(keys: dict[str, str], is_table: bool, said: str) -> None:
    with pytest.raises(ContractError, match=said) as caught:
        chosen(keys, None if is_table else [file("a")])
    assert caught.value.cure


def test_a_lookback_needs_a_time() -> None:
    past = Told(windows={"id": RowWindow("id", None, "17")})
    with pytest.raises(ContractError, match="can't be taken off the watermark 17, which is no time"):
        chosen({"watermark_field": "id", "lookback": "1 day"}, past=past)
