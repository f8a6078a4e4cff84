"""Both engines with the same rows, and what Spark says to every case; asked once."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

import pytest

from lakelogic.engines.spark.session import run_session
from lakelogic.sql.render import to_spark
from tests.conformance.differential.answers import Answer, DuckDB, Engine, Spark, columns_of, rows_of
from tests.conformance.differential.cases import FAMILIES, Case, cases
from tests.conformance.differential.rows import FRAME

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

COLUMNS = FRAME.columns
GROUPED = "GROUP BY k ORDER BY k NULLS FIRST"
NO_ROWS = "WHERE id < 0"
Answers = Mapping[Case, tuple[Answer, ...]]


@pytest.fixture(scope="session")
def duckdb_engine() -> DuckDB:
    return DuckDB(FRAME)


@pytest.fixture(scope="session")
def spark_engine(spark: SparkSession) -> Iterator[Spark]:
    yield Spark(run_session(spark), FRAME)


@pytest.fixture(scope="session")
def oracle(spark_engine: Spark) -> Answers:
    """What Spark answers to every case that is not refused: hundreds of columns in one query."""
    found: dict[Case, tuple[Answer, ...]] = {}
    for family in FAMILIES:
        asked = {case: to_spark(case.tree(COLUMNS), COLUMNS) for case in cases(family) if not case.refused}
        found |= answers(spark_engine, family, asked)
    return found


def answers(engine: Engine, family: str, asked: Mapping[Case, str]) -> dict[Case, tuple[Answer, ...]]:
    """The answers of an engine; aggregates are asked by group and over no rows at all."""
    if family == "queries":
        return {case: (rows_of(engine, sql),) for case, sql in asked.items()}
    tails = (GROUPED, NO_ROWS) if family == "aggregates" else ("ORDER BY id",)
    by_tail = [columns_of(engine, dict(enumerate(asked.values())), tail) for tail in tails]
    return {case: tuple(found[number] for found in by_tail) for number, case in enumerate(asked)}
