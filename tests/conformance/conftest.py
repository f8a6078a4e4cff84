"""Every conformance test runs on every engine there is."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from lakelogic.engines.spark.session import run_session
from tests.conformance.evaluators import Evaluator, SparkEvaluator

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


@pytest.fixture(scope="session", params=["spark"])
def engine(request: pytest.FixtureRequest) -> Evaluator:
    """An engine to ask; a new one is one more entry in `params` and one more line here."""
    session: SparkSession = request.getfixturevalue("spark")
    return SparkEvaluator(run_session(session))
