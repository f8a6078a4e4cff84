"""Delta tables as sources: what the library can read, and a clear answer where it can't."""

from __future__ import annotations

import json
from pathlib import Path

import pyarrow as pa
import pytest
from deltalake import DeltaTable, write_deltalake

from lakelogic.engines.duckdb.engine import DuckDBEngine
from lakelogic.errors import SourceError
from lakelogic.sources.read import TableToRead


def _rows(engine: DuckDBEngine, path: Path, version: int | None = None) -> list[dict[str, object]]:
    table, _ = engine.table_columns(TableToRead(str(path), is_name=False, version=version))
    return sorted((dict(row) for row in engine.head(engine.read_table(table), 100)), key=str)


def test_a_table_is_pinned_with_its_version_and_rows(engine: DuckDBEngine, tmp_path: Path) -> None:
    write_deltalake(str(tmp_path / "t"), pa.table({"id": [1, 2]}))
    write_deltalake(str(tmp_path / "t"), pa.table({"id": [3]}), mode="append")
    table, columns = engine.table_columns(TableToRead(str(tmp_path / "t"), is_name=False))
    assert (table.version, table.rows, columns.names) == (1, 3, ["id"])
    assert _rows(engine, tmp_path / "t", 0) == [{"id": 1}, {"id": 2}]


def test_files_from_before_a_column_was_added_have_nothing_in_it(engine: DuckDBEngine, tmp_path: Path) -> None:
    path = tmp_path / "t"
    write_deltalake(str(path), pa.table({"id": [1]}))
    write_deltalake(str(path), pa.table({"id": [2], "more": ["x"]}), mode="append", schema_mode="merge")
    assert _rows(engine, path) == [{"id": 1, "more": None}, {"id": 2, "more": "x"}]
    DeltaTable(str(path)).delete("id = 2")
    assert _rows(engine, path) == [{"id": 1, "more": None}]


def test_an_empty_table_has_columns_and_no_rows(engine: DuckDBEngine, tmp_path: Path) -> None:
    write_deltalake(str(tmp_path / "t"), pa.table({"id": pa.array([], pa.int64())}))
    assert _rows(engine, tmp_path / "t") == []


@pytest.mark.parametrize(
    ("newer", "said"),
    [
        (
            {"minReaderVersion": 3, "minWriterVersion": 7, "readerFeatures": ["future"], "writerFeatures": ["future"]},
            "future",
        ),
        ({"minReaderVersion": 99, "minWriterVersion": 99}, "is of a newer Delta protocol"),
    ],
)
def test_a_table_of_a_newer_protocol_is_refused_in_one_line(
    engine: DuckDBEngine, tmp_path: Path, newer: dict[str, object], said: str
) -> None:
    write_deltalake(str(tmp_path / "t"), pa.table({"id": [1]}))
    log = tmp_path / "t" / "_delta_log" / f"{0:020d}.json"
    entries = [json.loads(line) for line in log.read_text(encoding="utf-8").splitlines()]
    changed = [{"protocol": newer} if "protocol" in entry else entry for entry in entries]
    log.write_text("\n".join(json.dumps(entry) for entry in changed), encoding="utf-8")
    with pytest.raises(SourceError) as caught:
        _rows(engine, tmp_path / "t")
    assert said in str(caught.value) and len(str(caught.value).splitlines()) == 1


def test_a_place_without_a_table_is_named(engine: DuckDBEngine, tmp_path: Path) -> None:
    with pytest.raises(SourceError, match=f"can't read {tmp_path}/none"):
        _rows(engine, tmp_path / "none")


def test_a_table_that_is_not_there_is_told_with_what_to_do(engine: DuckDBEngine, tmp_path: Path) -> None:
    with pytest.raises(SourceError) as caught:
        engine.table_columns(TableToRead(str(tmp_path / "t"), is_name=False))
    assert str(caught.value) == (
        f"can't read {tmp_path}/t: no Delta table is there."
        " Check the path; a table that a contract writes is there after its first run."
    )
