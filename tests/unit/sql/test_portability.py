"""The page about portable SQL says what the code does."""

from __future__ import annotations

from scripts.portability import PAGE, page


def test_the_page_is_what_the_suite_says() -> None:
    text = PAGE.read_text("utf-8")
    assert page(text) == text, "run `python -m scripts.portability`"
