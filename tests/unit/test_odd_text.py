"""Bytes that are no text, and lines that end in several ways, are found wherever they stand."""

from __future__ import annotations

from pathlib import Path

import pytest

from lakelogic.errors import SourceError
from lakelogic.formats import odd_text
from lakelogic.formats.base import ReadOptions
from lakelogic.formats.bytes import HEAD_BYTES

_LONG = b"1,a\n" * (HEAD_BYTES // 4)


def refused(content: bytes, path: Path, options: ReadOptions) -> str | None:
    path.write_bytes(content)
    try:
        odd_text.refuse_mixed_ends(str(path), options)
    except SourceError as error:
        return error.message
    return None


@pytest.mark.parametrize(
    ("content", "line"),
    [
        (b"id,name\n1,a\r\n", 2),
        (b"id,name\n1,a\n2,b\r3,c\n", 3),
        (b"id,name\r\n1,a\r2,b\r\n", 2),
        (b"id,name\r\n1,a\n2,b\r\n", 2),
        (b"id,name\r1,a\r2,b\r\n", 3),
        (b'id,name\r\n1,5" pipe\r\n2,c\n', 3),
        (b'id,name\n1,"a\r\nb"\n2,c\r\n', 4),
        (_LONG + b"1,a\r\n", HEAD_BYTES // 4 + 1),
    ],
)
def test_a_line_that_ends_unlike_the_first_is_named(content: bytes, line: int, tmp_path: Path) -> None:
    told = refused(content, tmp_path / "in.csv", ReadOptions())
    assert told is not None
    assert told.startswith(f"line {line} of ")


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"id,name",
        b"id,name\r\n1,a\r\n2,b",
        b'id,name\r\n1,"a\nb"\r\n',
        b'id,name\r\n1,5" pipe\r\n2,"a\nb"\r\n',
        b'id,name\r\n1,"say ""hi\n"""\r\n',
        b'id,name\r\n1,"never closed\n2,b',
        b'id,name\n1,"a\r\nb\r"\n',
        b"id,name\r1,a\r",
    ],
)
def test_line_ends_that_all_engines_read_alike_pass(content: bytes, tmp_path: Path) -> None:
    assert refused(content, tmp_path / "in.csv", ReadOptions()) is None


def test_files_that_are_read_by_lines_may_end_them_in_any_way(tmp_path: Path) -> None:
    assert refused(b"id,name\n1,a\r\n", tmp_path / "in.csv", ReadOptions(multiline=False)) is None


def test_a_pair_that_a_block_cuts_is_one_line_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(odd_text, "_BLOCK_BYTES", 3)
    monkeypatch.setattr(odd_text, "HEAD_BYTES", 8)
    assert refused(b"id\r\n1\r\n22\r\n3\r\n", tmp_path / "in.csv", ReadOptions()) is None


@pytest.mark.parametrize("content", [_LONG + b"2,\xff\n", _LONG + b"2,\xc3", _LONG[:-1] + b"\xe4\xf6"])
def test_bytes_of_another_encoding_are_found_behind_the_beginning(content: bytes, tmp_path: Path) -> None:
    path = tmp_path / "in.csv"
    path.write_bytes(content)
    with pytest.raises(SourceError, match="is not utf-8 text"):
        odd_text.refuse_wrong_bytes(str(path), "utf-8")
    odd_text.refuse_wrong_bytes(str(path), "latin1")


def test_a_character_that_a_block_cuts_is_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(odd_text, "_BLOCK_BYTES", 3)
    monkeypatch.setattr(odd_text, "HEAD_BYTES", 8)
    path = tmp_path / "in.csv"
    path.write_text("größe,größe", encoding="utf-8")
    odd_text.refuse_wrong_bytes(str(path), "utf-8")
