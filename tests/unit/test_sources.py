"""Which files a source matches, and what their headers tell."""

from __future__ import annotations

import os
import time
from datetime import UTC, datetime
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from lakelogic.errors import SourceError
from lakelogic.formats.base import ReadOptions
from lakelogic.formats.csv import Csv
from lakelogic.formats.json import is_document as json_is_document
from lakelogic.formats.parquet import Parquet
from lakelogic.sources.files import SourceFile, list_files
from lakelogic.sql.types import type_name


def _touch(root: Path, *names: str) -> None:
    for name in names:
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("x")


def _found(root: Path, glob: str = "", pattern: str | None = None) -> list[str]:
    listing = list_files(f"{root}/{glob}" if glob else str(root), pattern)
    return [str(Path(file.path).relative_to(root)) for file in listing.files]


@pytest.mark.parametrize(
    ("glob", "matches"),
    [
        ("", ["a.csv", "b.json", "deep/c.csv", "deep/er/d.csv"]),
        ("*.csv", ["a.csv"]),
        ("*", ["a.csv", "b.json", "deep/c.csv", "deep/er/d.csv"]),
        ("**/*.csv", ["a.csv", "deep/c.csv", "deep/er/d.csv"]),
        ("*/*.csv", ["deep/c.csv"]),
        ("deep", ["deep/c.csv", "deep/er/d.csv"]),
        ("d*p", ["deep/c.csv", "deep/er/d.csv"]),
        ("{a,b}.*", ["a.csv", "b.json"]),
        ("[ab].csv", ["a.csv"]),
        ("[!a].json", ["b.json"]),
        ("?.csv", ["a.csv"]),
        ("nothing*", []),
        ("missing/folder", []),
    ],
)
def test_a_glob_matches_as_spark_does(tmp_path: Path, glob: str, matches: list[str]) -> None:
    _touch(tmp_path, "a.csv", "b.json", "deep/c.csv", "deep/er/d.csv", "_SUCCESS", ".a.csv.crc", "_tmp/x.csv")
    assert _found(tmp_path, glob) == matches


def test_the_folder_of_a_project_is_no_glob_whatever_it_is_called(tmp_path: Path) -> None:
    odd = tmp_path / "a [b] {c} ?*"
    _touch(odd, "in/a.csv", "in/b.json")
    listing = list_files(f"{odd}/in/*.csv", None, str(odd))
    assert [Path(file.path).name for file in listing.files] == ["a.csv"]
    assert listing.root == f"{odd}/in"


def test_a_pattern_narrows_a_folder_by_file_name(tmp_path: Path) -> None:
    _touch(tmp_path, "a.csv", "b.json", "deep/c.csv")
    assert _found(tmp_path, pattern="*.csv") == ["a.csv", "deep/c.csv"]


def test_a_hidden_file_that_is_named_is_refused(tmp_path: Path) -> None:
    _touch(tmp_path, "_a.csv")
    with pytest.raises(SourceError, match="begins with '_'"):
        list_files(str(tmp_path / "_a.csv"))


@pytest.mark.parametrize("names", [("d=1/a", "b"), ("d=1/a", "e=1/a"), ("x/d=1/a", "y/d=1/a"), ("d=1/a", "d=1/e=1/a")])
def test_files_that_do_not_share_their_partitions_are_refused(tmp_path: Path, names: tuple[str, ...]) -> None:
    _touch(tmp_path, *names)
    with pytest.raises(SourceError, match="is not in the same partition folders as"):
        list_files(str(tmp_path)).partition_names()


def test_partition_folders_count_even_if_their_names_begin_with_an_underscore(tmp_path: Path) -> None:
    _touch(tmp_path, "_day=1/code=x/a.csv", "_day=2/code=y/b.csv")
    listing = list_files(str(tmp_path))
    assert (len(listing.files), listing.partition_names()) == (2, ("_day", "code"))


def test_a_file_is_told_apart_by_path_size_and_time(tmp_path: Path) -> None:
    _touch(tmp_path, "a.csv")
    before = list_files(str(tmp_path)).files[0]
    os.utime(tmp_path / "a.csv", ns=(1, before.modified_ns + 1))
    after = list_files(str(tmp_path)).files[0]
    assert (before.path, before.size) == (after.path, after.size)
    assert before.identity != after.identity


def test_ten_thousand_files_are_listed_and_told_apart_at_once(tmp_path: Path) -> None:
    for number in range(10_000):
        (tmp_path / f"{number:05d}.csv").write_text(f"id,c{number % 2}\n")
    began = time.process_time()
    listing = list_files(f"{tmp_path}/*.csv")
    assert len({file.identity for file in listing.files}) == 10_000
    assert time.process_time() - began < 2
    shape = Csv().shape(listing.files, ReadOptions())
    assert [len(layout.files) for layout in shape.layouts] == [5_000, 5_000]
    assert time.process_time() - began < 10


def _headers(root: Path, *texts: bytes, header: bool = True) -> list[tuple[list[str], int]]:
    for number, text in enumerate(texts):
        (root / f"{number}.csv").write_bytes(text)
    files = [SourceFile(str(root / f"{number}.csv"), len(text), 0) for number, text in enumerate(texts)]
    shape = Csv().shape(files, ReadOptions(header=header))
    return [(layout.columns.names, len(layout.files)) for layout in shape.layouts]


def test_headers_are_read_as_csv_and_files_are_grouped_by_them(tmp_path: Path) -> None:
    quoted = b'\xef\xbb\xbfid,"a, ""b""","two\nlines"\n1,2,3\n'
    plain = b"id,name\n1,2\n"
    assert _headers(tmp_path, plain, quoted, plain, b"") == [
        (["id", "name"], 2),
        (["id", 'a, "b"', "two\nlines"], 1),
    ]


def test_columns_without_a_name_are_named_by_their_place(tmp_path: Path) -> None:
    assert _headers(tmp_path, b"id,,\n1,2,3\n") == [(["id", "_c1", "_c2"], 1)]
    assert _headers(tmp_path, b"1,2\n", header=False) == [(["_c0", "_c1"], 1)]


@pytest.mark.parametrize("name", ["no-such", "hex"])
def test_an_encoding_that_is_none_of_text_is_told(tmp_path: Path, name: str) -> None:
    (tmp_path / "a.csv").write_text("id\n1\n")
    with pytest.raises(SourceError, match=f"encoding '{name}' is unknown. Use utf-8"):
        Csv().columns(str(tmp_path / "a.csv"), ReadOptions(encoding=name))


def test_a_header_that_repeats_a_name_is_refused(tmp_path: Path) -> None:
    with pytest.raises(SourceError, match="column 'id' twice"):
        _headers(tmp_path, b"id,id\n")
    with pytest.raises(SourceError, match="columns 'id' and 'Id', which differ in case only"):
        _headers(tmp_path, b"id,Id\n")


@pytest.mark.parametrize(
    ("text", "document"),
    [
        ('{"a": 1}\n{"a": 2}\n', False),
        ('{"a": 1}', False),
        ('[{"a": 1}]', True),
        (' \n\t[{"a": 1}]', True),
        ('{\n  "a": 1\n}\n', True),
        ('{"a": 1,\n "b": 2}\n', True),
        ('{"a": \n{"a": 2}\n', False),
        ("not json\n", False),
        ("", False),
        ("\ufeff[1]", True),
    ],
)
def test_a_json_document_is_told_from_lines(tmp_path: Path, text: str, document: bool) -> None:
    path = tmp_path / "a.json"
    path.write_text(text, encoding="utf-8")
    assert json_is_document(str(path), ReadOptions()) is document


def test_moments_that_spark_wrote_to_parquet_are_timestamps(tmp_path: Path) -> None:
    moment = datetime(2026, 1, 2, tzinfo=UTC)
    naive = pa.array([moment.replace(tzinfo=None)], pa.timestamp("us"))
    table = pa.table({"at": naive, "a.b": naive, "deep": pa.array([[moment]], pa.list_(pa.timestamp("us")))})
    pq.write_table(table, tmp_path / "spark.parquet", use_deprecated_int96_timestamps=True)
    pq.write_table(table, tmp_path / "other.parquet")
    assert _types(tmp_path / "spark.parquet") == ["timestamp", "timestamp", "array<timestamp>"]
    assert _types(tmp_path / "other.parquet") == ["timestamp_ntz", "timestamp_ntz", "array<timestamp_ntz>"]


def _types(path: Path) -> list[str]:
    columns, _ = Parquet().columns(str(path), ReadOptions())
    return [type_name(column.type) for column in columns]
