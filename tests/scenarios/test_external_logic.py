"""Rows that a contract's own code makes are governed like any others."""

from __future__ import annotations

import json

import pytest

from lakelogic.errors import ContractError, ExternalLogicError, LakeLogicError
from tests.scenarios.project import Project

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
_LOGIC = """
    from pyspark.sql import functions as F

    def run(df, links, engine, country):
        assert engine == "spark" and df.columns == ["id", "net"], df.columns
        rate = links["rates"].filter(F.col("country") == country).select(F.col("rate").alias("r"))
        twice = df.unionAll(df.filter("id = '1'")).crossJoin(rate)
        return twice.selectExpr("id", "cast(net as int) * cast(r as int) AS gross")
"""


@pytest.fixture
def logic() -> str:
    return _LOGIC


@pytest.fixture
def made(project: Project, logic: str) -> Project:
    project.file("in.csv", "id,net\n1,5\n2,-5\n,7\n3,6,7\n")
    project.file("rates.csv", "country,rate\nDE,2\nFR,3\n")
    project.file("logic.py", logic)
    project.contract(_CONTRACT)
    return project


def test_the_frame_that_code_returns_is_typed_judged_and_accounted_for(made: Project) -> None:
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


def test_the_same_code_on_the_same_input_is_not_appended_twice_and_other_code_is(made: Project) -> None:
    made.run()
    assert made.run().status == "no_new_data"
    with (made.root / "logic.py").open("a") as code:
        code.write("# other code\n")
    assert made.run().status == "succeeded"
    assert made.values("gross") == [10, 10, 10, 10]


def test_a_notebook_may_make_the_rows_of_a_frame(project: Project) -> None:
    cell = "def run(df, links, engine):\n    return df.selectExpr('id', 'upper(name) AS name')\n"
    project.file("logic.ipynb", json.dumps({"cells": [{"cell_type": "code", "source": cell}]}))
    project.contract(
        """
        external_logic: {type: notebook, path: logic.ipynb}
        materialization: {target_path: out}
        """
    )
    project.processor().run(project.spark.createDataFrame([(1, "ada")], "id int, name string"))
    assert project.rows() == [{"id": 1, "name": "ADA"}]


def test_what_goes_wrong_in_the_code_is_told_with_its_line_and_nothing_is_written(made: Project) -> None:
    made.file("logic.py", "def run(df, links, engine, country):\n    raise ValueError(engine)\n")
    with pytest.raises(ExternalLogicError, match=r"logic\.py:2: ValueError: (spark|duckdb|polars)"):
        made.run()
    made.file("logic.py", "def run(df, links, engine, country):\n    return 5\n")
    with pytest.raises(LakeLogicError, match=r"contract\.yaml:3:1: a frame for .* not builtins\.int"):
        made.run()
    made.contract(_CONTRACT.replace("path: logic.py", "path: ../logic.py"))
    with pytest.raises(ContractError, match=r"contract\.yaml:4:\d+: \.\./logic\.py can't be read"):
        made.run()
    assert made.versions() is None


def test_a_processor_that_allows_no_external_logic_reads_nothing(made: Project) -> None:
    made.file("logic.py", "raise SystemExit\n")
    with pytest.raises(ContractError, match=r"contract\.yaml:3:1: external_logic runs code .* not allowed here"):
        made.processor(allow_external_logic=False).run()
    with pytest.raises(ContractError, match="not allowed here"):
        made.processor(allow_external_logic=False).plan()


def test_logic_for_another_engine_is_refused(made: Project) -> None:
    made.contract(_CONTRACT.replace("path: logic.py", "path: logic.py\n      engine: polars"))
    with pytest.raises(ContractError, match=r"written for polars, and this run uses spark\. Run with --engine polars"):
        made.run()
