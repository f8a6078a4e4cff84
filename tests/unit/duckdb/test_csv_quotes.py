"""The quick look at quotes never passes a file that the slow one refuses."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from lakelogic.engines.duckdb import csv_quotes
from lakelogic.errors import SourceError
from lakelogic.formats.base import ReadOptions

_TEXTS = st.lists(st.sampled_from(['"', '"', '""', ",", "\n", "\r\n", "a", " "]), max_size=16).map("".join)


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@example(text='1,"x\n"y\n""\n', block=8 << 20)
@given(text=_TEXTS, block=st.sampled_from([1, 3, 8 << 20]))
def test_what_is_plain_has_no_text_after_a_closing_quote(text: str, block: int, tmp_path: Path) -> None:
    path = tmp_path / "1.csv"
    path.write_bytes(text.encode())
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(csv_quotes, "_BLOCK_BYTES", block)
        plain = csv_quotes._is_plain(str(path), ReadOptions())
        patched.setattr(csv_quotes, "_is_plain", lambda *_: False)
        torn = False
        try:
            csv_quotes.refuse_torn(str(path), ReadOptions())
        except SourceError:
            torn = True
    assert not (plain and torn)


@pytest.mark.parametrize("text", ["a,b\n1,2\n", '"a","b,c"\n"",1\n', '1,"say ""hi"""\n', '"two\nlines",2'])
def test_well_formed_quotes_are_plain(text: str, tmp_path: Path) -> None:
    path = tmp_path / "1.csv"
    path.write_text(text, encoding="utf-8")
    assert csv_quotes._is_plain(str(path), ReadOptions())
