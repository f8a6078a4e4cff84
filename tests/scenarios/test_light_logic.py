"""Deployment patterns, deduplication, intake and a contract's own code, without Spark."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from lakelogic.errors import ContractError, ExternalLogicError, LakeLogicError
from tests.scenarios import test_deduplicate, test_deployment_patterns, test_intake
from tests.scenarios.light import ENGINES, LightProject, light_project, scenarios_of

# It hands in one of Spark's frames.
_OF_SPARK = {"test_the_end_to_end_pipe_takes_a_frame_and_writes_below_its_layer"}
globals().update(scenarios_of(test_deduplicate, test_deployment_patterns, test_intake, but=_OF_SPARK))

_CONTRACT = """
    source: {path: in.csv, format: csv}
    links: [{name: rates, path: rates.csv}]
    external_logic:
      path: logic.py
      args: {country: DE}
    model:
      fields:
        - {name: id, type: int, required: true}
        - {name: gross, type: int}
    quality: {row_rules: [{name: positive, sql: gross > 0}]}
    materialization: {target_path: out}
"""
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
def made(project: LightProject) -> LightProject:
    project.file("in.csv", "id,net\n1,5\n2,-5\n,7\n3,6,7\n")
    project.file("rates.csv", "country,rate\nDE,2\nFR,3\n")
    project.file("logic.py", _LOGIC[project.engine])
    project.contract(_CONTRACT)
    return project


def test_the_frame_that_code_returns_is_typed_judged_and_accounted_for(made: LightProject) -> None:
    result = made.run()
    assert [(row["id"], row["gross"]) for row in made.rows()] == [(1, 10), (1, 10)]
    told = sorted(next(iter(row["_lakelogic_errors"])) for row in made.rows("out_quarantine"))
    assert told == [
        "Malformed record: it does not have the file's form",
        "Rule failed: id is required",
        "Rule failed: positive (gross > 0)",
    ]
    counts = result.counts
    assert (counts.source, counts.expanded, counts.good, counts.quarantined) == (4, 1, 2, 3)
    assert [(step.name, step.rows_in, step.rows_out) for step in result.steps] == [("external logic", 4, 5)]
    assert {row["_lakelogic_source_file"] for row in made.rows("out_quarantine")} == {str(made.root / "in.csv")}


def test_the_same_code_on_the_same_input_is_not_appended_twice(made: LightProject) -> None:
    made.run()
    assert made.run().status == "no_new_data"


def test_what_goes_wrong_in_the_code_is_told_with_its_line(made: LightProject) -> None:
    made.file("logic.py", "def run(df, links, engine, country):\n    raise ValueError(engine)\n")
    with pytest.raises(ExternalLogicError, match=rf"logic\.py:2: ValueError: {made.engine}"):
        made.run()
    made.file("logic.py", "def run(df, links, engine, country):\n    return 5\n")
    with pytest.raises(LakeLogicError, match=r"contract\.yaml:3:1: a frame for .* not builtins\.int"):
        made.run()
    made.contract(_CONTRACT.replace("path: logic.py", "path: ../logic.py"))
    with pytest.raises(ContractError, match=r"contract\.yaml:4:\d+: \.\./logic\.py can't be read"):
        made.run()
    assert made.versions() is None
