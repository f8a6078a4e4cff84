"""SQL of thousands of conditions, made by us or by a user."""

from __future__ import annotations

import pytest
from sqlglot import exp

from lakelogic.errors import SqlError
from lakelogic.sql.build import all_of, any_of, is_null, ref
from lakelogic.sql.duckdb.render import to_duckdb
from lakelogic.sql.parse import parse_condition
from lakelogic.sql.render import to_spark
from lakelogic.sql.types import Columns

_COLUMNS = Columns.of(a="int")


@pytest.mark.parametrize(("join", "word"), [(all_of, "AND"), (any_of, "OR")])
def test_thousands_of_conditions_are_rendered_on_every_engine(join: type, word: str) -> None:
    many = join(*(is_null(ref("a")) for _ in range(600)))
    for text in (to_spark(many, _COLUMNS), to_duckdb(many, _COLUMNS)):
        assert text.count("IS NULL") == 600
        assert text.count(f" {word} ") == 599


def test_a_few_conditions_stand_in_no_groups() -> None:
    assert not all_of(*(is_null(ref("a")) for _ in range(50))).find(exp.Paren)


@pytest.mark.parametrize(
    "sql", [" AND ".join(["a = 1"] * 1_000), f"{'(' * 100}a{')' * 100} = 1", f"{'abs(' * 100}a{')' * 100} = 1"]
)
def test_sql_that_is_nested_too_deeply_is_refused(sql: str) -> None:
    with pytest.raises(SqlError, match="nested too deeply") as error:
        parse_condition(sql)
    assert len(error.value.message) < 200
