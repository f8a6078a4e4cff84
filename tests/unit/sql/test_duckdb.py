"""SQL for DuckDB: what is written, and what is refused and how."""

from __future__ import annotations

from datetime import UTC, date, datetime
from functools import partial

import duckdb
import pytest

from lakelogic.errors import SqlError
from lakelogic.sql.duckdb.macros import Macros
from lakelogic.sql.duckdb.render import to_duckdb
from lakelogic.sql.duckdb.types import duckdb_type
from lakelogic.sql.parse import parse_expression, parse_projection
from lakelogic.sql.render import RUN_ID, pin, to_spark
from lakelogic.sql.resolve import resolve_expression, resolve_select
from lakelogic.sql.types import Columns, parse_type

COLUMNS = Columns.of("odd name", i="int", s="string", d="date", x="double")


def rendered(sql: str) -> str:
    return to_duckdb(resolve_expression(parse_expression(sql), COLUMNS), COLUMNS)


@pytest.mark.parametrize(
    ("spark", "name"),
    [
        ("timestamp", "TIMESTAMPTZ"),
        ("timestamp_ntz", "TIMESTAMP"),
        ("binary", "BLOB"),
        ("varchar(10)", "VARCHAR"),
        ("decimal(18,2)", "DECIMAL(18,2)"),
        ("array<map<string,struct<a:int,`b c`:date>>>", 'MAP(VARCHAR, STRUCT("a" INTEGER, "b c" DATE))[]'),
    ],
)
def test_a_type_has_a_name_in_duckdb(spark: str, name: str) -> None:
    assert duckdb_type(parse_type(spark)) == name


def test_every_cast_and_sum_is_one_that_gives_null() -> None:
    assert rendered("CAST(s AS INT)") == 'll_int("s")'
    assert rendered("i + 1") == 'TRY_CAST(CAST("i" AS BIGINT) + CAST(1 AS BIGINT) AS INTEGER)'


def test_text_is_quoted_as_duckdb_quotes_it() -> None:
    assert rendered(r"s = 'it\'s \\ here'") == """("s" = 'it''s \\ here')"""


def test_inner_operations_are_looked_into() -> None:
    tree = resolve_expression(parse_expression("i + i * 2"), COLUMNS)
    assert to_spark(tree, COLUMNS) == "TRY_ADD(`i`, TRY_MULTIPLY(`i`, 2))"


def test_a_refusal_underlines_the_part_and_names_a_way_out() -> None:
    with pytest.raises(SqlError) as error:
        rendered("i > 1 AND soundex(s) = 'x'")
    assert str(error.value).splitlines() == [
        "duckdb can't run this with the same meaning: soundex is not portable.",
        "  i > 1 AND SOUNDEX(s) = 'x'",
        "            ^^^^^^^^^^",
        "  Run this contract with --engine spark.",
    ]


def test_a_column_of_unknown_type_is_refused_where_its_type_matters() -> None:
    assert rendered("`odd name` IS NULL") == '("odd name" IS NULL)'
    with pytest.raises(SqlError, match="type is not known"):
        rendered("`odd name` > 1")


def test_the_clock_is_pinned_on_duckdb_too() -> None:
    connection = duckdb.connect()
    sql = pin(
        f"SELECT CAST({rendered('current_timestamp()')} AS TIMESTAMP), {rendered('current_date()')}",
        started=datetime(2024, 2, 29, 10, 11, 12, 5, tzinfo=UTC),
        run_id="r-1",
        pipeline_run_id="p-1",
    )
    found = datetime(2024, 2, 29, 10, 11, 12, 5, tzinfo=UTC).replace(tzinfo=None), date(2024, 2, 29)
    assert connection.execute(Macros(connection).provide(sql)).fetchone() == found


def test_a_runs_id_is_quoted_as_each_engine_quotes() -> None:
    mark = resolve_expression(parse_expression(f"s = '{RUN_ID}'".replace("run's", "run\\'s")), COLUMNS)
    pinned = partial(pin, started=datetime(2024, 1, 1, tzinfo=UTC), run_id="it's", pipeline_run_id="p")
    assert pinned(to_duckdb(mark, COLUMNS)) == """("s" = 'it''s')"""
    assert pinned(to_spark(mark, COLUMNS)) == r"""`s` = 'it\'s'"""


def test_a_query_reads_what_spark_reads() -> None:
    query = parse_projection("SELECT k.s AS s, count(*) AS n FROM source k WHERE k.i > 1 GROUP BY k.s ORDER BY n DESC")
    resolved = resolve_select(query, COLUMNS, {})  # type: ignore[arg-type]
    assert to_duckdb(resolved.select, COLUMNS) == (
        'SELECT "k"."s" AS "s", count(*) AS "n" FROM "source" AS "k" WHERE ("k"."i" > 1) '
        'GROUP BY "k"."s" ORDER BY "n" DESC NULLS LAST'
    )


def test_a_zone_that_nobody_knows_makes_no_moment() -> None:
    connection = duckdb.connect()
    texts = ["2024-01-05 10:11:12 Europe/Berlin", "2024-01-05 10:11:12 Europe/Nowhere", "2024-01-05 10:11:12 ../x"]
    values = ", ".join(f"('{value}')" for value in texts)
    sql = f"SELECT CAST({rendered('CAST(s AS TIMESTAMP)')} AS TIMESTAMP) FROM (VALUES {values}) v(s)"
    berlin = datetime(2024, 1, 5, 9, 11, 12, tzinfo=UTC).replace(tzinfo=None)
    assert connection.execute(Macros(connection).provide(sql)).fetchall() == [(berlin,), (None,), (None,)]


def test_the_json_of_a_wide_row_is_that_of_each_of_its_members() -> None:
    row = Columns.of(r='struct<text:string,`a "key"`:bigint,flag:boolean,none:int>', x="struct<d:double>")
    whole = to_duckdb(parse_expression("to_json(r, map('ignoreNullFields', 'false'))"), row)
    assert whole == 'CAST(to_json("r") AS VARCHAR)'
    member = to_duckdb(parse_expression("to_json(x, map('ignoreNullFields', 'false'))"), row)
    assert "ll_json_fraction" in member
    values = """{'text': 'a"b' || chr(10) || '/é', 'a "key"': 5, 'flag': true, 'none': NULL::INT}"""
    found = duckdb.execute(f"SELECT {whole} FROM (SELECT {values} AS r UNION ALL SELECT NULL)").fetchall()
    assert found == [('{"text":"a\\"b\\n/é","a \\"key\\"":5,"flag":true,"none":null}',), (None,)]
