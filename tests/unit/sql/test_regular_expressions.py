"""A pattern that no engine can read is refused where the SQL is parsed."""

from __future__ import annotations

import pytest

from lakelogic.errors import SqlError
from lakelogic.sql.parse import parse_condition, parse_projection
from lakelogic.sql.regular_expressions import broken


@pytest.mark.parametrize(
    "pattern",
    ["(", ")", "a)", "*", "+a", "[a", "[z-a]", "a{3,2}", "{", "a{x}", "a{,3}", "\\", "(?P<y>a)", "(?#no)", "(?=a"],
)
def test_a_text_that_is_no_regular_expression_is_told(pattern: str) -> None:
    assert broken(pattern) is not None


@pytest.mark.parametrize(
    "pattern",
    [
        "",
        "^a$",
        r"\p{L}+",
        r"\p{IsAlphabetic}",
        r"(?<year>\d{4})\k<year>",
        "(?i)abc",
        "a(?i:b)",
        "(?<=ab?)c",
        r"\Q(\E",
        "[a-z&&[^b]]",
        "a++",
        r"\h",
        r"\x{1F600}",
        r"\cA",
        r"C:\\bin\\zip",
        r"[{(]\{\(",
        "[]{]",
        "^*a",
        r"\bword\b",
        "a{2}|b{2,}|c{2,3}",
        "}",
        r"^[\w-\.]+@[\w-]+\.\w+$",
        r"(a)\2",
        r"^(\(?abc)",
    ],
)
def test_a_pattern_that_some_engine_reads_is_none_to_refuse(pattern: str) -> None:
    assert broken(pattern) is None


@pytest.mark.parametrize(
    "sql",
    [
        "s RLIKE '('",
        "s REGEXP '('",
        "REGEXP_LIKE(s, '(')",
        "REGEXP_EXTRACT(s, '(', 0) = 'a'",
        "REGEXP_REPLACE(s, '(', '') = 'a'",
        "REGEXP_COUNT(s, '(') = 1",
        "REGEXP_SUBSTR(s, '(') = 'a'",
        "REGEXP_INSTR(s, '(') = 1",
        "SIZE(SPLIT(s, '(')) = 1",
        "SIZE(REGEXP_EXTRACT_ALL(s, '(')) = 1",
    ],
)
def test_a_broken_pattern_is_refused_in_every_function(sql: str) -> None:
    with pytest.raises(SqlError, match="the pattern is no regular expression: missing \\)"):
        parse_condition(sql)


def test_a_broken_pattern_is_underlined() -> None:
    with pytest.raises(SqlError) as error:
        parse_condition("i > 1 AND s RLIKE '('")
    assert str(error.value).splitlines() == [
        "the pattern is no regular expression: missing ), unterminated subpattern.",
        "  i > 1 AND s RLIKE '('",
        "                    ^^^",
        "  Mend the pattern.",
    ]


def test_patterns_of_a_whole_select_are_looked_at() -> None:
    with pytest.raises(SqlError, match="no regular expression"):
        parse_projection("SELECT id FROM source WHERE name RLIKE '[a'")
