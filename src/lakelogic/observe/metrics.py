"""The numbers that Prometheus may ask for: the same names and labels while a pipeline runs and over the run log."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

# A run id would make a new series of every run; contracts are few, and keep their names.
_CONTRACT = ("layer", "contract")

OUTCOMES = ("source", "expanded", "good", "quarantined", "filtered", "deduplicated")
SUCCESSES = ("succeeded", "no_new_data")


@dataclass(frozen=True)
class Metric:
    """A number, what it counts, and by what it is told apart."""

    name: str
    kind: Literal["counter", "gauge"]
    meaning: str
    labels: tuple[str, ...] = ()


ROWS = Metric("lakelogic_rows_total", "counter", "Rows by what became of them.", (*_CONTRACT, "outcome"))
CONTRACTS = Metric("lakelogic_contracts_total", "counter", "Contracts by how they ended.", ("layer", "status"))
RUNNING = Metric("lakelogic_contracts_running", "gauge", "Contracts at work now.")
DURATION = Metric("lakelogic_run_duration_seconds", "gauge", "How long a contract took.", _CONTRACT)
RATIO = Metric("lakelogic_quarantine_ratio", "gauge", "Share of quarantined rows among those judged.", _CONTRACT)
SUCCESS = Metric("lakelogic_last_success_timestamp_seconds", "gauge", "When a contract last succeeded.", _CONTRACT)
PIPELINE_DURATION = Metric("lakelogic_pipeline_duration_seconds", "gauge", "How long the pipeline took.")
PIPELINE_EXIT_CODE = Metric("lakelogic_pipeline_exit_code", "gauge", "The exit code of the pipeline.")
PIPELINE_SUCCESS = Metric(
    "lakelogic_pipeline_last_success_timestamp_seconds", "gauge", "When the pipeline last succeeded."
)
LOG_UP = Metric("lakelogic_run_log_up", "gauge", "Whether the run log could be read: 1 if so, else 0.")

METRICS = (
    ROWS,
    CONTRACTS,
    RUNNING,
    DURATION,
    RATIO,
    SUCCESS,
    PIPELINE_DURATION,
    PIPELINE_EXIT_CODE,
    PIPELINE_SUCCESS,
    LOG_UP,
)
