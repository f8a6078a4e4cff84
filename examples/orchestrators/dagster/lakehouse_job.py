"""The lakehouse as a job, an op for each layer; every table that was written is an asset with its row counts."""

import json
import os
import subprocess

from dagster import (
    AssetMaterialization,
    Definitions,
    Failure,
    In,
    Nothing,
    OpDefinition,
    OpExecutionContext,
    Out,
    RetryPolicy,
    ScheduleDefinition,
    job,
    op,
)

PROJECT = os.environ.get("LAKEHOUSE", "/opt/lakehouse")
COMMAND = """
lakelogic-driver
  --registry contracts/insurance/_registry.yaml
  --reference-registry contracts/shared/reference/_registry.yaml
  --gold-registry contracts/insurance/warehouse/_registry.yaml
  --json
""".split()
ENDINGS = {
    1: "the data or a gate said no",
    2: "the command or a contract is wrong",
    3: "approval needed: `lakelogic approve`, then re-execute from failure",
    130: "interrupted",
}
# A contract that is wrong, or a person who was not asked, stays so until somebody acts.
NO_RETRY = {2, 3}


def layer_op(layer: str) -> OpDefinition:
    """The op of a layer. A retry, and a run that is executed again, go on where the last attempt ended."""

    @op(name=layer, ins={"before": In(Nothing)}, out=Out(Nothing), retry_policy=RetryPolicy(max_retries=2, delay=300))
    def run_layer(context: OpExecutionContext) -> None:
        first = context.run.root_run_id or context.run_id
        state_path = f"logs/dagster/{first}-{layer}.json"
        command = [*COMMAND, "--layers", layer, "--state-path", state_path, "--resume"]
        with subprocess.Popen(command, cwd=PROJECT, stdout=subprocess.PIPE, text=True) as driver:
            try:
                said, _ = driver.communicate()
            except BaseException:
                # The run was terminated: the driver finishes what it is writing, and ends with 130.
                driver.terminate()
                raise
        report_tables(context, said)
        if code := driver.returncode:
            raise Failure(ENDINGS.get(code), {"exit_code": code}, allow_retries=code not in NO_RETRY)

    return run_layer


def report_tables(context: OpExecutionContext, said: str) -> None:
    """Tell Dagster of the tables that the driver has written."""
    for run in json.loads(said).get("runs", ()) if said else ():
        if run["status"] == "succeeded":
            counts = {"rows": run["counts_good"] or 0, "quarantined": run["counts_quarantined"] or 0}
            context.log_event(AssetMaterialization([run["layer"], run["contract"]], metadata=counts))


reference, bronze, silver, gold = map(layer_op, ("reference", "bronze", "silver", "gold"))


@job
def lakehouse() -> None:
    gold(silver(bronze(reference())))


definitions = Definitions(jobs=[lakehouse], schedules=[ScheduleDefinition(job=lakehouse, cron_schedule="0 4 * * *")])
