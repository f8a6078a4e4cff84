"""Types that can be told without an engine; the differential suite compares many more with Spark's own."""

from __future__ import annotations

import pytest

from lakelogic.sql.annotate import output_columns, type_of
from lakelogic.sql.parse import parse_projection, parse_scalar
from lakelogic.sql.resolve import resolve_expression
from lakelogic.sql.types import Columns, type_name

COLUMNS = Columns.of(
    "unknown", i="int", b="bigint", p="decimal(10,2)", s="string", d="date", ts="timestamp", a="array<int>",
    m="map<string,int>", st="struct<x:int,y:array<struct<z:date>>>",
)  # fmt: skip


@pytest.mark.parametrize(
    ("sql", "kind"),
    [
        ("1", "int"), ("3000000000", "bigint"), ("1.50", "decimal(3,2)"), ("1e3", "double"), ("'x'", "string"),
        ("i + b", "bigint"), ("i / b", "double"), ("p + 1", "decimal(11,2)"), ("p * p", "decimal(21,4)"),
        ("p / 2", "decimal(14,6)"), ("p / i", "decimal(21,13)"), ("round(p, 1)", "decimal(10,1)"), ("ceil(p)", "decimal(9,0)"),
        ("sum(p)", "decimal(20,2)"), ("avg(p)", "decimal(14,6)"), ("sum(i)", "bigint"), ("count(*)", "bigint"),
        ("length(s)", "int"), ("coalesce(i, p)", "decimal(12,2)"), ("if(i > 1, d, ts)", "timestamp"), ("coalesce(i, s)", "string"),
        ("d + INTERVAL 1 DAY", "date"), ("d + INTERVAL 1 HOUR", "timestamp"), ("a[0]", "int"), ("m['k']", "int"),
        ("transform(a, v -> v * 1.5)", "array<decimal(13,1)>"), ("aggregate(a, 0L, (t, v) -> t + v)", "bigint"),
        ("bigint(s)", "bigint"), ("array(1, b)", "array<bigint>"), ("from_json(s, 'x INT')", "struct<`x`:int>"),
        ("unknown + 1", "unknown"), ("NULL", "unknown"), ("array()", "unknown"), ("row_number() OVER (ORDER BY i)", "int"),
    ],
)  # fmt: skip
def test_the_type_is_sparks_or_unknown(sql: str, kind: str) -> None:
    assert type_name(type_of(resolve_expression(parse_scalar(sql), COLUMNS), COLUMNS)) == kind


def test_a_member_of_a_struct_has_its_type() -> None:
    tree = resolve_expression(parse_scalar("st.y[0].z"), COLUMNS)
    assert type_name(type_of(tree, COLUMNS)) == "date"


def test_a_query_yields_columns_of_its_sources() -> None:
    sql = "WITH w AS (SELECT i AS n, d FROM source) SELECT w.n, l.*, v FROM w JOIN l ON w.n = l.k LATERAL VIEW explode(l.xs) t AS v"
    query = parse_projection(sql)
    found = output_columns(query, COLUMNS, {"l": Columns.of(k="int", xs="array<double>")})  # type: ignore[arg-type]
    assert [(column.name, type_name(column.type)) for column in found] == [
        ("n", "int"),
        ("k", "int"),
        ("xs", "array<double>"),
        ("v", "double"),
    ]
