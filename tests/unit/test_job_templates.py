"""The templates for orchestrators: each has the shape that its platform asks for, and asks the driver for what it has."""

from __future__ import annotations

import json
import re
import runpy
import shutil
from importlib.resources import files
from pathlib import Path

import nbformat
import pytest
import typer
from databricks.sdk.service.jobs import JobSettings
from deltalake import DeltaTable
from jsonschema import Draft7Validator
from ruamel.yaml import YAML

from lakelogic.cli.driver import build_program
from tests.pages import ROOT, blocks_of

TEMPLATES = ROOT / "examples" / "orchestrators"
PAGE = ROOT / "docs" / "job_templates.md"
FILES = sorted(file for file in TEMPLATES.rglob("*") if file.is_file() and "__pycache__" not in file.parts)
EXIT_CODES = {"1", "2", "3", "130"}


def _named(file: Path) -> str:
    return str(file.relative_to(TEMPLATES))


@pytest.mark.parametrize("file", FILES, ids=_named)
def test_a_template_asks_for_options_that_the_driver_has(file: Path) -> None:
    known = {option for each in typer.main.get_command(build_program()).params for option in each.opts}
    text = file.read_text(encoding="utf-8")
    asked = set(re.findall(r"(?<![\w-])--[a-z][a-z-]+", text)) if file.suffix != ".sh" else set()
    assert asked <= known


@pytest.mark.parametrize("file", FILES, ids=_named)
def test_a_template_stands_in_the_page(file: Path) -> None:
    text = file.read_text(encoding="utf-8")
    shown = [(block.title, block.text) for block in blocks_of(PAGE)]
    if file.suffix == ".ipynb":
        cells = [(None, "".join(cell["source"]) + "\n") for cell in json.loads(text)["cells"]]
        assert [cell for cell in cells if cell not in shown] == []
    else:
        assert (str(file.relative_to(ROOT)), text) in shown


def test_the_job_of_databricks_is_one_that_its_sdk_knows() -> None:
    bundle = YAML(typ="safe").load(TEMPLATES / "databricks" / "databricks.yml")
    job = bundle["resources"]["jobs"]["lakehouse"]
    assert JobSettings.from_dict(job).as_dict() == job
    (task,) = job["tasks"]
    assert task["max_retries"] > 0
    assert "--resume" in task["spark_python_task"]["parameters"]


def test_the_state_machine_of_aws_is_valid_and_knows_every_exit_code() -> None:
    machine = json.loads((TEMPLATES / "aws" / "lakehouse.asl.json").read_text(encoding="utf-8"))
    schema = files("cfnlint") / "data" / "schemas" / "other" / "step_functions" / "statemachine.json"
    Draft7Validator(json.loads(schema.read_text(encoding="utf-8"))).validate(machine)
    states = machine["States"]
    chosen = {choice["NumericEquals"]: choice["Next"] for choice in states["WhichEnding"]["Choices"]}
    assert chosen == {130: "GoOnLater", 3: "ApprovalNeeded", 2: "ContractWrong"}
    assert states["WhichEnding"]["Default"] == "DataSaidNo"
    assert {states[name]["Type"] for name in (chosen[3], chosen[2], "DataSaidNo")} == {"Fail"}


@pytest.mark.parametrize("platform", ["synapse", "fabric"])
def test_a_notebook_takes_what_its_pipeline_gives(platform: str) -> None:
    notebook = json.loads((TEMPLATES / platform / "run_lakehouse.ipynb").read_text(encoding="utf-8"))
    nbformat.validate(notebook)
    pipeline = json.loads((TEMPLATES / platform / "lakehouse.pipeline.json").read_text(encoding="utf-8"))
    (activity,) = pipeline["properties"]["activities"]
    settings, *rest = ("".join(cell["source"]) for cell in notebook["cells"])
    assert set(activity["typeProperties"]["parameters"]) == set(re.findall(r"^(\w+) =", settings, re.MULTILINE))
    compile("\n".join(rest), platform, "exec")


@pytest.mark.parametrize(
    "platform", ["airflow/lakehouse_dag.py", "prefect/lakehouse_flow.py", "dagster/lakehouse_job.py"]
)
def test_a_python_template_knows_every_exit_code(platform: str) -> None:
    named = set(re.findall(r"\b(1|2|3|130)\b", (TEMPLATES / platform).read_text(encoding="utf-8")))
    assert named >= EXIT_CODES - {"1"}


def test_the_page_tells_every_exit_code_of_each_tool() -> None:
    rows = re.findall(r"^\| (\d+) \|", PAGE.read_text(encoding="utf-8"), re.MULTILINE)
    assert set(rows) == EXIT_CODES | {"0"}


@pytest.fixture
def lakehouse(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    shutil.copytree(
        ROOT / "examples" / "insurance_elt", tmp_path, ignore=shutil.ignore_patterns("output"), dirs_exist_ok=True
    )
    monkeypatch.setenv("LAKELOGIC_ENGINE", "duckdb")
    monkeypatch.setenv("LAKELOGIC_STATE", "")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_state_that_is_kept_as_an_archive_is_found_by_the_next_run(lakehouse: Path) -> None:
    run = runpy.run_path(str(TEMPLATES / "run_driver.py"))["main"]
    ask = ("state.tar", "--registry=contracts/insurance/_registry.yaml", "--layers=bronze", "--entities=customers")
    run(*ask)
    run(*ask)
    assert len(DeltaTable("output/bronze/customers").history()) == 1
    assert not list(lakehouse.glob("*.part"))


def test_a_platform_sees_an_exception_where_the_driver_fails(lakehouse: Path) -> None:
    run = runpy.run_path(str(TEMPLATES / "run_driver.py"))["main"]
    with pytest.raises(RuntimeError, match="a contract is wrong"):
        run("state.tar", "--registry=contracts/insurance/_registry.yaml", "--layers=none")
