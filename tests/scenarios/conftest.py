"""What the scenarios share: a project folder on the one Spark of the tests."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from loguru import logger

from tests.scenarios.project import Project

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


@pytest.fixture
def project(tmp_path: Path, spark: SparkSession) -> Project:
    """An empty project folder."""
    return Project(tmp_path, spark)


@pytest.fixture
def key(monkeypatch: pytest.MonkeyPatch) -> str:
    """A key for masking, set as a user sets it."""
    value = "00112233445566778899aabbccddeeff102132435465768798a9babbdcddfefe"
    monkeypatch.setenv("LAKELOGIC_PII_KEY", value)
    return value


@pytest.fixture
def told() -> Iterator[list[str]]:
    """The log lines of the runs of a test."""
    lines: list[str] = []
    logger.enable("lakelogic")
    sink = logger.add(lambda message: lines.append(message.record["message"]), level="INFO")
    yield lines
    logger.remove(sink)
    logger.disable("lakelogic")


@pytest.fixture(scope="session", autouse=True)
def _heeds_interrupts() -> None:
    """What a shell starts in the background ignores interrupts, and so would every process that a test starts."""
    signal.signal(signal.SIGINT, signal.default_int_handler)
