"""Tables of plain files: a run is a folder that appears as a whole."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from lakelogic.engines.base import Stamp
from lakelogic.engines.file_tables import FileTable
from lakelogic.errors import StateError, WriteError
from lakelogic.plan.model import TablePlan
from lakelogic.write.operations import AppendRows, Operation, ReplaceRows


def _plan(operation: Operation | None = None, **said: str) -> TablePlan:
    columns = (("id", "int"), *said.items())
    return TablePlan("t", False, "any", operation or AppendRows(), columns=columns, evolution="strict")


def _stamp(sequence: int, app_id: str = "app") -> Stamp:
    return Stamp(app_id, sequence, f"r{sequence}", "plan", "input")


def _saving(rows: int) -> Callable[[Path], int]:
    def save(folder: Path) -> int:
        folder.mkdir()
        (folder / "part.csv").write_text("id\n" + "1\n" * rows)
        return rows

    return save


def _dying(folder: Path) -> int:
    folder.mkdir()
    (folder / "half.csv").write_text("id\n")
    raise KeyboardInterrupt


def _seen(path: Path) -> list[str]:
    return sorted(str(file.relative_to(path)) for file in path.rglob("*.csv") if "_staging" not in file.parts)


@pytest.fixture
def table(tmp_path: Path) -> FileTable:
    return FileTable(tmp_path / "t", "csv")


def test_a_run_that_was_cut_off_leaves_nothing_to_see_and_can_be_repeated(table: FileTable) -> None:
    with pytest.raises(KeyboardInterrupt):
        table.write(_plan(), _stamp(1), _dying)
    assert _seen(table.path) == [] and table.find_commit("r1") is None
    table.write(_plan(), _stamp(1), _saving(2))
    assert _seen(table.path) == ["run=r1/part.csv"]


def test_a_repeated_write_is_recognised(table: FileTable) -> None:
    table.write(_plan(), _stamp(1), _saving(2))
    table.write(_plan(), _stamp(1), _dying)
    found = table.find_commit("r1")
    assert found is not None and (found.rows, found.version) == (2, 1)
    assert (table.last_sequence("app"), table.last_sequence("other")) == (1, 0)


def test_an_overwrite_that_was_cut_off_is_completed_by_whoever_looks(
    table: FileTable, monkeypatch: pytest.MonkeyPatch
) -> None:
    table.write(_plan(), _stamp(1), _saving(1))
    with monkeypatch.context() as patched:
        patched.setattr(FileTable, "_remove", lambda *_: None)
        table.write(_plan(ReplaceRows()), _stamp(2), _saving(3))
    assert [commit.run_id for commit in table.commits()] == ["r2"]
    assert table.find_commit("r2") is not None
    assert _seen(table.path) == ["run=r2/part.csv"]


def test_versions_are_the_numbers_of_runs(table: FileTable) -> None:
    for sequence in (1, 2):
        table.write(_plan(), _stamp(sequence), _saving(1))
    assert [Path(folder).name for folder in table.folders(1)] == ["run=r1"]
    assert len(table.folders(None)) == 2
    table.undo("r2")
    assert _seen(table.path) == ["run=r1/part.csv"]


def test_what_others_put_there_is_not_mixed_with_ours(table: FileTable) -> None:
    table.write(_plan(), _stamp(1), _saving(1))
    with pytest.raises(WriteError, match="written by another contract"):
        table.write(_plan(), _stamp(2, "other"), _saving(1))
    (table.path / "stray.csv").write_text("id\n")
    with pytest.raises(WriteError, match="no run has written, such as stray.csv"):
        table.write(_plan(), _stamp(2), _saving(1))


def test_a_new_column_is_refused_where_columns_stay_as_they_are(table: FileTable) -> None:
    table.write(_plan(), _stamp(1), _saving(1))
    with pytest.raises(WriteError, match="has no column more"):
        table.write(_plan(more="string"), _stamp(2), _saving(1))


def test_a_damaged_or_newer_manifest_is_said(table: FileTable) -> None:
    table.write(_plan(), _stamp(1), _saving(1))
    manifest = table.path / "run=r1" / "_manifest"
    manifest.write_text('{"format": 99}')
    with pytest.raises(StateError, match="newer version"):
        table.commits()
    manifest.write_text("{")
    with pytest.raises(StateError, match="damaged"):
        table.commits()


@pytest.mark.parametrize(("location", "is_name"), [("s3://bucket/t", False), ("silver.orders", True)])
def test_only_a_folder_can_be_a_table_of_files(location: str, is_name: bool) -> None:
    with pytest.raises(WriteError, match="needs a file system"):
        FileTable.of(location, is_name, "csv")
