"""Every morning the lakehouse, a task for each layer."""

from __future__ import annotations

import os
from datetime import datetime, timedelta
from typing import Any

from airflow.exceptions import AirflowException, AirflowFailException
from airflow.providers.standard.hooks.subprocess import SubprocessHook
from airflow.sdk import DAG, BaseOperator

PROJECT = os.environ.get("LAKEHOUSE", "/opt/lakehouse")
LAYERS = ("reference", "bronze", "silver", "gold")
COMMAND = """
lakelogic-driver
  --registry contracts/insurance/_registry.yaml
  --reference-registry contracts/shared/reference/_registry.yaml
  --gold-registry contracts/insurance/warehouse/_registry.yaml
""".split()

# A contract that is wrong, or a person who was not asked, stays so until somebody acts.
NO_RETRY = {2: "the command or a contract is wrong", 3: "approval needed: `lakelogic approve`, then clear this task"}
RETRY = {1: "the data or a gate said no", 130: "interrupted"}


class DriverOperator(BaseOperator):
    """Runs one layer. A retry, and a task that was cleared, go on where the last attempt ended."""

    template_fields = ("state_path",)

    def __init__(self, *, layer: str, **settings: Any) -> None:
        super().__init__(task_id=layer, **settings)
        self.layer = layer
        self.state_path = f"logs/airflow/{{{{ run_id }}}}-{layer}.json"

    def execute(self, context: Any) -> None:
        self.hook = SubprocessHook()
        command = [*COMMAND, "--layers", self.layer, "--state-path", self.state_path, "--resume"]
        code = self.hook.run_command(command, cwd=PROJECT).exit_code
        if code in NO_RETRY:
            raise AirflowFailException(NO_RETRY[code])
        if code:
            raise AirflowException(RETRY.get(code, f"the driver ended with exit code {code}"))

    def on_kill(self) -> None:
        # The driver finishes what it is writing, and ends with 130.
        self.hook.send_sigterm()


with DAG(
    "lakehouse",
    schedule="0 4 * * *",
    start_date=datetime(2026, 1, 1),  # noqa: DTZ001 - Airflow takes it as UTC
    catchup=False,
    max_active_runs=1,
    default_args={"retries": 2, "retry_delay": timedelta(minutes=5)},
) as dag:
    before = None
    for layer in LAYERS:
        task = DriverOperator(layer=layer)
        if before is not None:
            before >> task
        before = task
