"""The pattern that texts have in common."""

from __future__ import annotations

from lakelogic.discover.patterns import common_pattern


def test_ids_share_a_pattern_and_words_do_not() -> None:
    assert common_pattern([f"K{number:05d}" for number in range(30)]) == "^K[0-9]{5}$"
    assert common_pattern([f"{letter}-{number}" for number in range(9) for letter in "ABC"]) == "^[A-Z]-[0-9]$"
    assert common_pattern([f"v{number}.0" for number in range(5, 35)]) == "^v[0-9]+[.][0-9]$"
    assert common_pattern(["open", "paid"] * 20) is None
    assert common_pattern(["K1"] * 5) is None
