"""One contract, every engine, every cell alike."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from lakelogic import load_contract
from lakelogic.portability.verify import installed_engines, verify

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

EXAMPLES = Path(__file__).parents[2] / "examples"


@pytest.mark.parametrize("contract", ["home/contract.yaml"])
def test_an_example_means_the_same_on_every_engine(spark: SparkSession, contract: str) -> None:
    spark.createDataFrame([], "n int")
    wanted = installed_engines()
    assert wanted == ["spark", "duckdb", "polars"]
    verdict = verify(load_contract(EXAMPLES / contract), wanted, 60, 0, lambda _: None)
    assert verdict.is_portable, (verdict.differences, [trial.refusal for trial in verdict.trials])
