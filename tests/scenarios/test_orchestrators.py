"""Airflow, Prefect and Dagster run their templates for real, each in an environment of its own."""

from __future__ import annotations

import json
import os
import shutil
import stat
import subprocess
import sys
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from deltalake import DeltaTable

ROOT = Path(__file__).parents[2]
TEMPLATES = ROOT / "examples" / "orchestrators"
CONTRACTS = 14

pytestmark = pytest.mark.slow

# The driver, but for attempts that are planned to fail: these get as far as a layer goes without its claims.
DRIVER = """#!{python}
import sys
from pathlib import Path

sys.path.insert(0, {source!r})
from lakelogic.cli.driver import main

layer = sys.argv[sys.argv.index("--layers") + 1]
with Path("attempts").open("a") as attempts:
    print(layer, file=attempts)
planned = Path("planned").read_text().split()
Path("planned").write_text(" ".join(planned[1:]))
claims = Path("contracts/insurance", layer, "claims.yaml")
if planned and planned[0] != "real":
    if claims.exists():
        right = claims.read_text()
        claims.write_text("no contract")
        main([*sys.argv[1:], "--continue-on-error"])
        claims.write_text(right)
    sys.exit(int(planned[0]))
sys.exit(main())
"""


@dataclass(frozen=True)
class Tool:
    """An orchestrator: how its template waits before a retry, and how a program runs it and tells what became of it."""

    template: str
    patience: tuple[str, str]
    program: str


TOOLS = {
    "airflow": Tool(
        "lakehouse_dag.py",
        ("timedelta(minutes=5)", "timedelta(0)"),
        """
import subprocess, sys
from pathlib import Path
subprocess.run([Path(sys.executable).parent / "airflow", "db", "migrate"], check=True, stdout=sys.stderr)
from lakehouse_dag import dag
run = dag.test()
tasks = {each.task_id: str(each.state) for each in run.get_task_instances()}
told = {"state": str(run.state), "tasks": tasks}
""",
    ),
    "prefect": Tool(
        "lakehouse_flow.py",
        ("retry_delay_seconds=300", "retry_delay_seconds=0"),
        """
from lakehouse_flow import lakehouse
state = lakehouse(return_state=True)
told = {"state": f"{state.type.value} {state.name}"}
""",
    ),
    "dagster": Tool(
        "lakehouse_job.py",
        ("delay=300", "delay=0"),
        """
from lakehouse_job import lakehouse
result = lakehouse.execute_in_process(raise_on_error=False)
tables = [event.asset_key.path[1] for event in result.get_asset_materialization_events()]
told = {"state": result.dagster_run.status.value, "tables": tables}
""",
    ),
}


@dataclass(frozen=True)
class Orchestrated:
    """The insurer's lakehouse in the hands of an orchestrator."""

    tool: Tool
    python: str
    folder: Path

    def run(self, *planned: str) -> dict[str, Any]:
        """Let the tool run the template, with attempts that are planned to fail; what it tells."""
        (self.folder / "planned").write_text(" ".join(planned), encoding="utf-8")
        home = str(self.folder / "home")
        environ = os.environ | {
            "PATH": f"{self.folder / 'bin'}{os.pathsep}{os.environ['PATH']}",
            "PYTHONPATH": str(self.folder / "templates"),
            "LAKEHOUSE": str(self.folder),
            "LAKELOGIC_ENGINE": "duckdb",
            "AIRFLOW_HOME": home,
            "AIRFLOW__CORE__DAGS_FOLDER": str(self.folder / "templates"),
            "AIRFLOW__CORE__LOAD_EXAMPLES": "False",
            "PREFECT_HOME": home,
            "PREFECT_SERVER_ALLOW_EPHEMERAL_MODE": "true",
            "PREFECT_SERVER_EPHEMERAL_STARTUP_TIMEOUT_SECONDS": "120",
            "DAGSTER_HOME": home,
            "DO_NOT_TRACK": "1",
        }
        program = f"{self.tool.program}\nimport json\nprint(json.dumps(told))"
        command = [self.python, "-c", program]
        done = subprocess.run(command, cwd=self.folder, env=environ, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout + done.stderr
        told: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
        return told

    @property
    def attempts(self) -> list[str]:
        return (self.folder / "attempts").read_text(encoding="utf-8").split()

    def runs(self) -> Counter[str]:
        """How often each contract was run, whatever came of it."""
        log = DeltaTable(self.folder / "output" / ".lakelogic" / "run_log").to_pyarrow_table(columns=["contract"])
        return Counter(log["contract"].to_pylist())


@pytest.fixture(params=TOOLS)
def lakehouse(request: pytest.FixtureRequest, tmp_path: Path) -> Orchestrated:
    made = subprocess.run(
        [ROOT / "scripts" / "orchestrator.sh", request.param], capture_output=True, text=True, check=True
    )
    tool = TOOLS[request.param]
    example = ROOT / "examples" / "insurance_elt"
    shutil.copytree(example, tmp_path, ignore=shutil.ignore_patterns("output"), dirs_exist_ok=True)
    for folder in ("bin", "home", "templates"):
        (tmp_path / folder).mkdir()
    template = (TEMPLATES / request.param / tool.template).read_text(encoding="utf-8")
    assert tool.patience[0] in template
    (tmp_path / "templates" / tool.template).write_text(template.replace(*tool.patience), encoding="utf-8")
    driver = tmp_path / "bin" / "lakelogic-driver"
    driver.write_text(DRIVER.format(python=sys.executable, source=str(ROOT / "src")), encoding="utf-8")
    driver.chmod(driver.stat().st_mode | stat.S_IXUSR)
    return Orchestrated(tool, made.stdout.strip(), tmp_path)


def test_attempts_that_were_cut_off_are_tried_again_and_go_on(lakehouse: Orchestrated) -> None:
    told = lakehouse.run("real", "1", "real", "130")
    assert told["state"] in {"success", "COMPLETED Completed", "SUCCESS"}
    assert lakehouse.attempts == ["reference", "bronze", "bronze", "silver", "silver", "gold"]
    # The second attempts ran the claims, and left alone what the first had brought.
    runs = lakehouse.runs()
    assert {name: count for name, count in runs.items() if count > 1} == {}
    assert len(runs) == CONTRACTS
    if tables := told.get("tables"):
        assert {"bronze_insurance_claims", "gold_fact_claims"} < set(tables)


@pytest.mark.parametrize(
    ("code", "states"),
    [("2", {"failed", "FAILED ContractWrong", "FAILURE"}), ("3", {"failed", "FAILED AwaitingApproval", "FAILURE"})],
)
def test_what_only_a_person_can_cure_fails_at_once(lakehouse: Orchestrated, code: str, states: set[str]) -> None:
    assert lakehouse.run(code)["state"] in states
    assert lakehouse.attempts == ["reference"]


def test_data_that_stays_bad_fails_after_its_retries_and_nothing_downstream_runs(lakehouse: Orchestrated) -> None:
    assert lakehouse.run("1", "1", "1")["state"] in {"failed", "FAILED Failed", "FAILURE"}
    assert lakehouse.attempts == ["reference"] * 3


AZURE = """
import json, sys
from azure.mgmt.datafactory.models import PipelineResource as DataFactory
from azure.synapse.artifacts.models import PipelineResource as Synapse
for model, file in ((DataFactory, sys.argv[1]), (Synapse, sys.argv[2])):
    pipeline = model.deserialize(json.load(open(file)))
    assert pipeline.serialize() == {"properties": json.load(open(file))["properties"]}
    print(*(type(activity).__name__ for activity in pipeline.activities))
"""


def test_pipelines_of_azure_are_what_its_models_know() -> None:
    made = subprocess.run([ROOT / "scripts" / "orchestrator.sh", "azure"], capture_output=True, text=True, check=True)
    files = [str(TEMPLATES / name / "lakehouse.pipeline.json") for name in ("adf", "synapse")]
    done = subprocess.run([made.stdout.strip(), "-c", AZURE, *files], capture_output=True, text=True, check=False)
    assert done.stdout.splitlines() == ["CustomActivity", "SynapseNotebookActivity"], done.stderr
