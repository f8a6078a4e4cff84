"""From which columns of which relations a query makes its own."""

from __future__ import annotations

import pytest
import sqlglot
from sqlglot import exp

from lakelogic.sql.tracing import Relation, trace

_RELATIONS = {"source": Relation(name="source"), "other": Relation(name="other")}


@pytest.mark.parametrize(
    ("sql", "kind", "inputs"),
    [
        ("SELECT a AS x FROM source", "identity", {"source.a"}),
        ("SELECT s.a AS x FROM source AS s", "identity", {"source.a"}),
        ("SELECT (a) AS x FROM source", "identity", {"source.a"}),
        ("SELECT 1 AS x FROM source", "generated", set()),
        ("SELECT a + b AS x FROM source", "transformation", {"source.a", "source.b"}),
        ("SELECT s.a.b AS x FROM source AS s", "transformation", {"source.a"}),
        ("SELECT a.b AS x FROM (SELECT a FROM source) AS t", "transformation", {"source.a"}),
        ("SELECT MAX(a) AS x FROM source", "aggregation", {"source.a"}),
        ("SELECT COUNT(*) AS x FROM source", "aggregation", set()),
        ("SELECT MAX(a) OVER (PARTITION BY b) AS x FROM source", "transformation", {"source.a", "source.b"}),
        ("SELECT my_own(a) AS x FROM source GROUP BY b", "aggregation", {"source.a"}),
        ("SELECT UPPER(b) AS x FROM source GROUP BY b", "transformation", {"source.b"}),
        ("SELECT UPPER(b) AS x FROM source GROUP BY x", "transformation", {"source.b"}),
        ("WITH t AS (SELECT a AS y FROM source) SELECT y AS x FROM t", "identity", {"source.a"}),
        ("SELECT x FROM (SELECT a, b FROM source) AS t(x, y)", "identity", {"source.a"}),
        ("SELECT a AS x FROM source UNION ALL SELECT b FROM other", "identity", {"source.a", "other.b"}),
        ("SELECT o.c AS x FROM source JOIN other AS o ON o.k = source.k", "identity", {"other.c"}),
        ("SELECT x FROM (SELECT * FROM (SELECT a AS x, b FROM source) AS i) AS t", "identity", {"source.a"}),
        ("SELECT x FROM source LATERAL VIEW EXPLODE(a) t AS x", "transformation", {"source.a"}),
        ("SELECT (SELECT MAX(b) FROM other) AS x FROM source", "aggregation", {"other.b"}),
        ("SELECT TRANSFORM(a, e -> e + b) AS x FROM source", "transformation", {"source.a", "source.b"}),
        ("SELECT a AS y, y + 1 AS x FROM (SELECT a FROM source) AS t", "transformation", {"source.a"}),
    ],
)
def test_a_column_is_followed_to_where_it_comes_from(sql: str, kind: str, inputs: set[str]) -> None:
    query = sqlglot.parse_one(sql, dialect="spark")
    assert isinstance(query, exp.Query)
    found = dict(trace(query, _RELATIONS))["x"]
    assert found.kind == kind
    assert {f"{relation}.{column}" for relation, column in found.inputs} == inputs


def test_names_are_spelt_as_written_and_found_without_regard_to_case() -> None:
    query = sqlglot.parse_one("SELECT AMOUNT AS Total FROM (SELECT amount FROM Source) AS t", dialect="spark")
    assert isinstance(query, exp.Query)
    ((name, found),) = trace(query, _RELATIONS)
    assert name == "Total" and found.inputs == {("source", "amount")}


def test_a_star_lets_all_through_but_what_it_excepts() -> None:
    query = sqlglot.parse_one("SELECT * EXCEPT (b) FROM (SELECT a, b, c FROM source) AS t", dialect="spark")
    assert isinstance(query, exp.Query)
    assert [name for name, _ in trace(query, _RELATIONS)] == ["a", "c"]
