"""Which columns a query makes from which."""

from __future__ import annotations

import pytest
import sqlglot
from sqlglot import exp

from lakelogic.sql.lineage import derived_from


@pytest.mark.parametrize(
    ("sql", "made"),
    [
        ("SELECT id, email FROM source", {"email"}),
        ("SELECT id, LOWER(TRIM(email)) AS contact FROM source", {"contact"}),
        ("SELECT id, name AS n FROM source", set()),
        ("SELECT id, CASE WHEN EMAIL LIKE '%a' THEN 1 END AS Flag FROM source", {"flag"}),
        ("SELECT x.c AS d, id FROM (SELECT id, CONCAT(email, '!') AS c FROM source) AS x", {"d"}),
        ("SELECT id, 'email' AS word FROM source", set()),
        ("SELECT id, ROW_NUMBER() OVER (PARTITION BY email ORDER BY id) AS r FROM source", {"r"}),
    ],
)
def test_outputs_that_may_hold_a_value_of_a_column_are_found(sql: str, made: set[str]) -> None:
    query = sqlglot.parse_one(sql, dialect="spark")
    assert isinstance(query, exp.Query)
    assert derived_from(query, {"email"}) == made


def test_a_star_lets_everything_through() -> None:
    query = sqlglot.parse_one("SELECT * FROM (SELECT email AS contact, id FROM source) AS x", dialect="spark")
    assert isinstance(query, exp.Query)
    assert "contact" in derived_from(query, {"email"})
