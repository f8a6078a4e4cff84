"""SQL is laid out by blanks alone."""

from __future__ import annotations

import pytest

from lakelogic.sql.layout import laid_out

LONG = "SELECT " + ", ".join(f"`column_{number}`" for number in range(30)) + " FROM source"
SPLIT = (
    "SELECT `id`, TRANSFORM(`f`, i -> ELEMENT_AT(ARRAY('a  b', 'it\\'s'), i)) AS `e` FROM (SELECT `id`, `f` FROM source "
    "WHERE (`a` IS NULL) AND `b` BETWEEN 1 AND 2 AND (NOT `c` IS NULL)) AS source LEFT JOIN `k` ON `x` = `y`"
)


@pytest.mark.parametrize("sql", [LONG, SPLIT, f"{LONG} WHERE `a` = 'x  FROM y' ORDER BY `column_1`, `column_2`"])
def test_only_blanks_change(sql: str) -> None:
    lines = [line.strip() for line in laid_out(sql).splitlines()]
    assert " ".join(lines).replace("( ", "(").replace(" )", ")") == sql


def test_clauses_and_conditions_have_lines_of_their_own() -> None:
    assert laid_out(SPLIT).splitlines() == [
        "SELECT",
        "  `id`, TRANSFORM(`f`, i -> ELEMENT_AT(ARRAY('a  b', 'it\\'s'), i)) AS `e`",
        "FROM (",
        "  SELECT",
        "    `id`, `f`",
        "  FROM source",
        "  WHERE (`a` IS NULL)",
        "    AND `b` BETWEEN 1 AND 2",
        "    AND (NOT `c` IS NULL)",
        ") AS source",
        "LEFT JOIN `k` ON `x` = `y`",
    ]


def test_short_columns_share_a_line_that_is_not_too_long() -> None:
    lines = laid_out(LONG).splitlines()
    assert 4 < len(lines) < 12
    assert max(len(line) for line in lines) <= 100


@pytest.mark.parametrize("sql", ["SELECT 1", "COUNT(*)", "`a` IS NULL AND `b` > 1" * 10, ""])
def test_short_texts_and_expressions_stay_as_they_are(sql: str) -> None:
    assert laid_out(sql) == sql


def test_another_engines_text_is_read_by_its_own_rules() -> None:
    # A backslash is a plain character there, so that the text does not end where it would in Spark.
    sql = (
        "SELECT "
        + ", ".join(f"a{i}" for i in range(40))
        + r" FROM source WHERE b LIKE 'x  %' ESCAPE '\' AND c = 'y  z'"
    )
    lines = laid_out(sql, dialect="duckdb").splitlines()
    assert len(lines) > 3
    assert " ".join(" ".join(lines).split()) == " ".join(sql.split())
    assert any("'x  %'" in line for line in lines) and any("'y  z'" in line for line in lines)
