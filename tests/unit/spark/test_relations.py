"""Relations of a query become views, and nothing else that looks like one does."""

from __future__ import annotations

import pytest

from lakelogic.engines.spark.relations import named

VIEWS = {"source": "v1", "touched": "v2", "the link": "v3"}


@pytest.mark.parametrize(
    ("sql", "expected"),
    [
        ("SELECT `a` FROM source", "SELECT `a` FROM v1 AS source"),
        ("SELECT s.`a` FROM source AS s", "SELECT s.`a` FROM v1 AS s"),
        (
            "SELECT * FROM source AS s LEFT SEMI JOIN touched ON true",
            "SELECT * FROM v1 AS s LEFT SEMI JOIN v2 AS touched ON true",
        ),
        ("SELECT * FROM source, touched", "SELECT * FROM v1 AS source, v2 AS touched"),
        (
            "SELECT 'FROM source', \"JOIN source\" FROM source",
            "SELECT 'FROM source', \"JOIN source\" FROM v1 AS source",
        ),
        (r"SELECT 'it\'s FROM source' FROM source", r"SELECT 'it\'s FROM source' FROM v1 AS source"),
        ("SELECT `x FROM source` FROM source", "SELECT `x FROM source` FROM v1 AS source"),
        ("SELECT EXTRACT(YEAR FROM `source`) FROM source", "SELECT EXTRACT(YEAR FROM `source`) FROM v1 AS source"),
        ("SELECT REDUCE(`a`, source -> source) FROM source", "SELECT REDUCE(`a`, source -> source) FROM v1 AS source"),
        ("SELECT * FROM (SELECT * FROM source) AS source", "SELECT * FROM (SELECT * FROM v1 AS source) AS source"),
        ("SELECT * FROM source WHERE `a` > 1", "SELECT * FROM v1 AS source WHERE `a` > 1"),
        ("SELECT * FROM sources", "SELECT * FROM sources"),
    ],
)
def test_a_relation_is_read_from_its_view(sql: str, expected: str) -> None:
    said = named(sql, VIEWS)
    assert said == expected or said.endswith(f"SELECT * FROM ({expected})")


def test_a_name_that_needs_quotes_keeps_its_with_clause() -> None:
    said = named("SELECT * FROM source JOIN `the link` ON true", VIEWS)
    assert (
        said
        == "WITH `the link` AS (SELECT * FROM v3) SELECT * FROM (SELECT * FROM v1 AS source JOIN `the link` ON true)"
    )
