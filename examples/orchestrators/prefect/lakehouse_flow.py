"""The lakehouse as a flow, a task for each layer."""

from __future__ import annotations

import os
import subprocess
from typing import Any

from prefect import flow, get_run_logger, task
from prefect.runtime import flow_run
from prefect.states import Crashed, Failed, State

PROJECT = os.environ.get("LAKEHOUSE", "/opt/lakehouse")
LAYERS = ("reference", "bronze", "silver", "gold")
COMMAND = """
lakelogic-driver
  --registry contracts/insurance/_registry.yaml
  --reference-registry contracts/shared/reference/_registry.yaml
  --gold-registry contracts/insurance/warehouse/_registry.yaml
""".split()


class DriverEnded(Exception):
    """The driver ended with another exit code than 0."""

    def __init__(self, code: int) -> None:
        super().__init__(code)
        self.code = code

    @property
    def state(self) -> State[Any]:
        """What the flow ends with."""
        if self.code == 3:
            return Failed(name="AwaitingApproval", message="`lakelogic approve`, then retry this run")
        if self.code == 2:
            return Failed(name="ContractWrong", message="the command or a contract is wrong")
        if self.code == 130:
            return Crashed(name="Interrupted", message="the driver was interrupted; a retry goes on")
        return Failed(message=f"the data or a gate said no (exit code {self.code})")


def may_pass(_task: object, _run: object, state: State[Any]) -> bool:
    """A retry helps neither a wrong contract nor an approval that is missing."""
    ended = state.result(raise_on_failure=False)
    return not (isinstance(ended, DriverEnded) and ended.code in {2, 3})


@task(task_run_name="{layer}", retries=2, retry_delay_seconds=300, retry_condition_fn=may_pass)
def run_layer(layer: str) -> None:
    """Runs one layer. A retry of the task or of the flow run goes on where the last attempt ended."""
    state_path = f"logs/prefect/{flow_run.id}-{layer}.json"
    command = [*COMMAND, "--layers", layer, "--state-path", state_path, "--resume"]
    logger = get_run_logger()
    with subprocess.Popen(command, cwd=PROJECT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) as driver:
        try:
            for line in driver.stdout or ():
                logger.info(line.rstrip())
        except BaseException:
            # The run was cancelled: the driver finishes what it is writing, and ends with 130.
            driver.terminate()
            raise
    if driver.returncode:
        raise DriverEnded(driver.returncode)


@flow(name="lakehouse")
def lakehouse() -> State[Any] | None:
    """All layers, one after the other."""
    for layer in LAYERS:
        ended = run_layer(layer, return_state=True)
        if not ended.is_completed():
            error = ended.result(raise_on_failure=False)
            return error.state if isinstance(error, DriverEnded) else ended
    return None


if __name__ == "__main__":
    lakehouse.serve(cron="0 4 * * *", limit=1)
