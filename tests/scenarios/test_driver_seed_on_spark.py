"""The driver's documents on Spark: one file as it is printed, and the whole week."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.scenarios.test_driver_seed import BASIC, HOTFIX, WEEK, counts, driven, placed

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.slow


@pytest.fixture
def fresh(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(placed(tmp_path))
    return tmp_path


def test_one_file_is_read(spark: SparkSession, fresh: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, runs = driven(HOTFIX.format("claims_cdc_2026-02-06.csv"), capsys, "spark")
    assert (code, counts(runs)["bronze_insurance_claims"]) == (0, (20, 0))


def test_basic_usage_gives_the_same(spark: SparkSession, fresh: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, runs = driven(BASIC, capsys, "spark")
    assert (code, counts(runs)) == (0, WEEK)
