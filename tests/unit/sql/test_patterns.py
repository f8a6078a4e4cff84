"""Regular expressions and date formats are taken where engines read them alike, and refused elsewhere."""

from __future__ import annotations

import pytest

from lakelogic.sql.duckdb.formats import formatted, readable_format
from lakelogic.sql.duckdb.patterns import NotPortable, replacement, translated


@pytest.mark.parametrize(
    ("java", "re2"),
    [
        ("abc", "abc"),
        (r"\d+", "[0-9]+"),
        (r"[\d,]", "[0-9,]"),
        (r"[\w-\.]", r"[a-zA-Z0-9_\-\.]"),
        (r"[\d-x]", r"[0-9\-x]"),
        (r"\.", r"\."),
        ("^a", r"\Aa"),
        ("a|b", "a|b"),
        ("(a)(?:b)", "(a)(?:b)"),
        ("a{2,3}?", "a{2,3}?"),
        ("[^a-z]", "[^a-z]"),
        ("(?i)a1", "[aA]1"),
        (r"(?i)[a-c\d_]", "[a-c0-9_ABC]"),
        ("(?i)[^xY]", "[^xYXy]"),
        ("(?i)[a-]", r"[a\-A]"),
        (r"(?i)[\s]", "[\\t\\n\\x0B\\f\\r ]"),
    ],
)
def test_what_means_the_same_is_translated(java: str, re2: str) -> None:
    assert translated(java).text == re2


def test_a_dot_stops_at_every_line_break_of_java() -> None:
    assert translated(".").text == r"[^\n\r\x{85}\x{2028}\x{2029}]"


def test_what_is_known_of_a_pattern_is_told() -> None:
    found = translated("(a)?(b|c*)$")
    assert (found.groups, found.may_be_empty, found.has_end) == (2, True, True)
    assert not translated("(a|b)c*").may_be_empty


@pytest.mark.parametrize(
    "java",
    ["(?=a)", "a(?i)b", "(?i:a)", "(?<n>a)", r"(a)\1", "a++", "a*+", r"\bx", r"\p{L}", r"\h", "[a[b]]", "[a&&b]", "(a", "a)", "a$b",
     "[a", "*a", "a{", "a{1001}", r"\Qa\E", "[]a]", "^*", "a\\"],
)  # fmt: skip
def test_what_means_something_else_is_refused(java: str) -> None:
    with pytest.raises(NotPortable):
        translated(java)


@pytest.mark.parametrize(("java", "re2"), [("<$1>", r"<\1>"), (r"\$", "$"), (r"\\", r"\\"), ("a", "a"), ("$0", r"\0")])
def test_a_replacement_names_groups_by_a_backslash(java: str, re2: str) -> None:
    assert replacement(java, 1) == re2


@pytest.mark.parametrize("java", ["$2", "$", "$x", "\\", "$10"])
def test_a_replacement_with_a_group_that_is_not_there_is_refused(java: str) -> None:
    with pytest.raises(NotPortable):
        replacement(java, 1)


@pytest.mark.parametrize(
    ("java", "written"),
    [
        ("yyyy-MM-dd", "%Y-%m-%d"),
        ("d.M.yy", "%-d.%-m.%y"),
        ("HH:mm:ss.SSS", "%H:%M:%S.%g"),
        ("'T'HH", "T%H"),
        ("EEE", "%a"),
    ],
)
def test_letters_of_a_format_are_written_as_duckdb_has_them(java: str, written: str) -> None:
    assert formatted(java).written == written


@pytest.mark.parametrize("java", ["Q", "ww", "XXX", "yyyyy", "MMMMM", "SS", "[yyyy]", "'open", "n", "k"])
def test_letters_that_mean_something_else_are_refused(java: str) -> None:
    with pytest.raises(NotPortable):
        formatted(java)


def test_a_format_for_reading_says_what_text_it_takes() -> None:
    found = readable_format("dd/MM/yyyy")
    assert (found.written, found.accepted) == ("%d/%m/%Y", "[0-9]{2}/[0-9]{2}/[0-9]{4}")


@pytest.mark.parametrize("java", ["MM-dd", "yyyy-yyyy", "yyyyMd", "yy-MM-dd", "MMM yyyy"])
def test_a_format_that_is_read_in_two_ways_is_refused(java: str) -> None:
    with pytest.raises(NotPortable):
        readable_format(java)
