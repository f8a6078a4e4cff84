"""Slices are made anew without Spark, too."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.scenarios import test_reprocess
from tests.scenarios.light import LightProject, light_project, scenarios_of

globals().update(scenarios_of(test_reprocess))


@pytest.fixture
def project(tmp_path: Path) -> LightProject:
    return light_project(tmp_path)
