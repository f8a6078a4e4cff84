"""Expressions made at random agree, too: many in one query, since each query of Spark takes its time."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from lakelogic.errors import SqlError
from lakelogic.sql.duckdb.render import to_duckdb
from lakelogic.sql.render import to_spark
from tests.conformance.differential.answers import DuckDB, Spark, columns_of, difference, same
from tests.conformance.differential.cases import Case, tolerance
from tests.conformance.differential.conftest import COLUMNS
from tests.conformance.differential.generated import expressions

_MANY = st.lists(expressions(), min_size=60, max_size=60, unique=True)
_FITTING = [HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.function_scoped_fixture]
# What differs is told expression by expression; making the list smaller would ask Spark hundreds of times.
_PHASES = (Phase.generate,)
_FEW = settings(
    max_examples=2, deadline=None, derandomize=True, suppress_health_check=_FITTING, database=None, phases=_PHASES
)
_LOTS = settings(max_examples=60, deadline=None, suppress_health_check=_FITTING, database=None, phases=_PHASES)


@_FEW
@given(written=_MANY)
def test_expressions_made_at_random_agree(written: list[str], spark_engine: Spark, duckdb_engine: DuckDB) -> None:
    _agree(written, spark_engine, duckdb_engine)


@pytest.mark.slow
@_LOTS
@given(written=_MANY)
def test_thousands_of_expressions_agree(written: list[str], spark_engine: Spark, duckdb_engine: DuckDB) -> None:
    _agree(written, spark_engine, duckdb_engine)


def _agree(written: list[str], spark: Spark, duckdb: DuckDB) -> None:
    asked = {sql: text for sql in written if (text := _for_duckdb(sql)) is not None}
    assert len(asked) > len(written) / 2
    wanted = columns_of(
        spark, {sql: to_spark(Case("logic", sql).tree(COLUMNS), COLUMNS) for sql in asked}, "ORDER BY id"
    )
    found = columns_of(duckdb, asked, "ORDER BY id")
    assert [
        f"{sql}: {difference(wanted[sql], found[sql])}"
        for sql in asked
        if not same(wanted[sql], found[sql], tolerance(sql))
    ] == []


def _for_duckdb(sql: str) -> str | None:
    try:
        return to_duckdb(Case("logic", sql).tree(COLUMNS), COLUMNS)
    except SqlError:
        return None
