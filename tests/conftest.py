"""What all tests share: one real Spark, started by the first test that asks for it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest
from loguru import logger

from lakelogic.engines.spark.session import open_session

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


@pytest.fixture(scope="session")
def spark(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SparkSession]:
    """A local Spark with Delta; a test that sets something takes a session of its own from `run_session`."""
    session = open_session(
        {"spark.driver.memory": "2g"},
        master="local[2]",
        warehouse=tmp_path_factory.mktemp("warehouse"),
        verbose=False,
    )
    yield session
    session.stop()


@pytest.fixture(autouse=True)
def own_log() -> Iterator[None]:
    """A test's command sends the log to that test's screen; the next test must not write to it."""
    yield
    logger.remove()
    logger.disable("lakelogic")
