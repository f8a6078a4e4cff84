"""Every conformance test runs on every engine there is."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from lakelogic.engines.spark.session import run_session
from tests.conformance.evaluators import DuckDBEvaluator, Evaluator, SparkEvaluator

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


@pytest.fixture(scope="session", params=["spark", "duckdb"])
def engine(request: pytest.FixtureRequest) -> Evaluator:
    """An engine to ask; a new one is one more entry in `params` and one more line here."""
    if request.param == "duckdb":
        return DuckDBEvaluator()
    session: SparkSession = request.getfixturevalue("spark")
    return SparkEvaluator(run_session(session))
