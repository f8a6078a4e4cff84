"""The incremental scenarios without Spark."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.scenarios import test_incremental
from tests.scenarios.light import LightProject, light_project, scenarios_of

globals().update(scenarios_of(test_incremental))


@pytest.fixture
def project(tmp_path: Path) -> LightProject:
    return light_project(tmp_path)
