"""Deployment patterns, deduplication, intake and a contract's own code, without Spark."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.scenarios import test_deduplicate, test_deployment_patterns, test_external_logic, test_intake
from tests.scenarios.light import ENGINES, LightProject, light_project, scenarios_of

_MODULES = (test_deduplicate, test_deployment_patterns, test_external_logic, test_intake)
# They hand in one of Spark's frames, or name the engine.
_OF_SPARK = {
    "test_the_end_to_end_pipe_takes_a_frame_and_writes_below_its_layer",
    "test_a_notebook_may_make_the_rows_of_a_frame",
    "test_logic_for_another_engine_is_refused",
}
globals().update(scenarios_of(*_MODULES, but=_OF_SPARK))

_LOGIC = {
    "duckdb": """
        def run(df, links, engine, country):
            rate = links["rates"].filter(f"country = '{country}'").fetchall()[0][1]
            return df.union(df.filter("id = '1'")).project(f"id, CAST(net AS INTEGER) * {rate} AS gross")
        """,
    "polars": """
        import polars as pl

        def run(df, links, engine, country):
            rate = int(links["rates"].filter(pl.col("country") == country)["rate"][0])
            twice = pl.concat([df, df.filter(pl.col("id") == "1")])
            return twice.select("id", gross=pl.col("net").cast(pl.Int32) * rate)
        """,
}


def test_the_command_line_takes_source_and_target(tmp_path: Path) -> None:
    project = light_project(tmp_path)
    project.contract(test_deployment_patterns.PIPELINE, "crm_full_pipeline.yaml")
    project.file("raw/users.csv", "user_id,email\n1,Ada@Example.org\n")
    asked = ["--source", "raw/users.csv", "--target", "lake/users", "--engine", "duckdb"]
    command = [sys.executable, "-m", "lakelogic", "run", "crm_full_pipeline.yaml", *asked]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert project.values("cleaner_email", "lake/users") == ["ada@example.org"]


@pytest.fixture(params=ENGINES)
def project(request: pytest.FixtureRequest, tmp_path: Path) -> LightProject:
    return light_project(tmp_path, request.param)


@pytest.fixture
def logic(project: LightProject) -> str:
    return _LOGIC[project.engine]
