"""How csv files are written."""

from __future__ import annotations

from pathlib import Path

import pytest

from lakelogic.discover.dialects import dialect_of
from lakelogic.errors import SourceError
from lakelogic.formats.base import ReadOptions


def _dialect(folder: Path, *texts: str | bytes) -> ReadOptions | None:
    paths = []
    for number, text in enumerate(texts):
        path = folder / f"{number}.csv"
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        paths.append(str(path))
    return dialect_of(paths)


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
def test_the_delimiter_is_the_one_that_cuts_every_line_alike(tmp_path: Path, delimiter: str) -> None:
    lines = [delimiter.join(row) for row in (["id", "note", "amount"], ["1", "a b", "1.5"], ["2", "c", "2.5"])]
    found = _dialect(tmp_path, "\n".join(lines))
    assert found is not None
    assert (found.delimiter, found.header) == (delimiter, True)


def test_a_first_line_with_a_number_or_date_is_no_header(tmp_path: Path) -> None:
    found = _dialect(tmp_path, "1,anna,2026-01-01\n2,ben,2026-01-02\n")
    assert found is not None
    assert not found.header


def test_a_first_line_that_files_share_is_a_header(tmp_path: Path) -> None:
    found = _dialect(tmp_path, "id,name\n1,a\n", "id,name\n", "id,name,age\n2,b,3\n")
    assert found is not None
    assert found.header


def test_other_encodings_are_noticed(tmp_path: Path) -> None:
    assert [getattr(_dialect(tmp_path, "id,name\n1,Zoë\n".encode(name)), "encoding", None)
            for name in ("utf-8", "cp1252", "utf-16")] == ["utf-8", "cp1252", "utf-16"]  # fmt: skip


def test_texts_that_mean_nothing_are_noticed(tmp_path: Path) -> None:
    found = _dialect(tmp_path, "id,amount\n1,NULL\n2,3\n")
    assert found is not None
    assert found.null_values == ("", "NULL")


def test_files_without_a_line_have_no_dialect(tmp_path: Path) -> None:
    assert _dialect(tmp_path, "\n\n", "") is None


@pytest.mark.parametrize(
    ("texts", "said"),
    [
        (("a,b\n1,x\n", "a;b\n1;x\n"), "has ',' between values, and"),
        (("id,name\n1,a\n", "2,b\n3,c\n"), "has a header, and"),
        ((b"PK\x03\x04\x00\x00",), "is binary, not text"),
    ],
)
def test_files_that_can_not_be_read_alike_are_named(tmp_path: Path, texts: tuple[str | bytes, ...], said: str) -> None:
    with pytest.raises(SourceError, match=said) as error:
        _dialect(tmp_path, *texts)
    assert error.value.cure
