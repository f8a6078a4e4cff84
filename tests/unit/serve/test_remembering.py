"""Answers are kept until what they were read from has changed."""

from __future__ import annotations

import os
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from lakelogic.serve.reading.remembering import Remembered, stamp_of


def test_an_answer_is_made_once_for_a_stamp() -> None:
    made = iter(range(10))
    kept = Remembered(2)
    found = [kept.get("key", stamp, lambda: next(made)) for stamp in ((1,), (1,), (2,), (2,))]
    assert found == [0, 0, 1, 1]


def test_many_that_ask_at_once_wait_for_one() -> None:
    made: list[int] = []

    def make() -> int:
        time.sleep(0.05)
        made.append(1)
        return 1

    kept = Remembered(2)
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda _: kept.get("key", (), make), range(8)))
    assert made == [1]


def test_the_answer_that_was_unused_for_longest_goes_first() -> None:
    kept = Remembered(2)
    for key in ("a", "b", "a", "c"):
        kept.get(key, (), object)
    first = kept.get("a", (), object)
    assert kept.get("a", (), object) is first
    assert len(kept) == 2


def test_an_error_is_not_kept() -> None:
    kept = Remembered(2)
    for _ in range(2):
        try:
            kept.get("key", (), lambda: 1 // 0)
        except ZeroDivisionError:
            continue
    assert kept.get("key", (), lambda: 3) == 3


def test_a_stamp_changes_with_the_file(tmp_path: Path) -> None:
    file = tmp_path / "a"
    assert stamp_of([file]) == (None,)
    file.write_text("1")
    os.utime(file, (1, 1))
    before = stamp_of([file])
    assert stamp_of([file]) == before
    os.utime(file, (2, 2))
    assert stamp_of([file]) != before


def test_what_has_changed_just_now_is_asked_again(tmp_path: Path) -> None:
    file = tmp_path / "a"
    file.write_text("1")
    assert stamp_of([file]) != stamp_of([file])
