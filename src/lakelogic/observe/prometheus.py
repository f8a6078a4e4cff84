"""A page of numbers about a pipeline run, which Prometheus asks for while the run goes on."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from importlib import import_module
from typing import Any

from loguru import logger

from lakelogic.errors import UsageError
from lakelogic.observe.rows import Row
from lakelogic.observe.summaries.base import NotRecorded

_OUTCOMES = ("source", "expanded", "good", "quarantined", "filtered", "deduplicated")
_SUCCESSES = ("succeeded", "no_new_data")
# A run id would make a new series of every run; contracts are few, and keep their names.
_LABELS = ("layer", "contract")


class Exporter:
    """Serves `/metrics`. A port that is taken is told, and harms nothing else."""

    def __init__(self, host: str, port: int) -> None:
        """
        Raises:
            UsageError: the library of Prometheus is not installed.
        """
        try:
            self._client = client = import_module("prometheus_client")
        except ImportError:
            raise UsageError(
                "--metrics-backend prometheus needs prometheus-client.",
                cure="Install it: pip install prometheus-client.",
            ) from None
        self.host, self.port = host, port
        self.problem: NotRecorded | None = None
        self._server: tuple[Any, Any] | None = None
        self._at_work: set[str] = set()
        self._registry = client.CollectorRegistry()
        gauge, counter = self._gauge, self._counter
        self._rows = counter("rows_total", "Rows by what became of them.", (*_LABELS, "outcome"))
        self._contracts = counter("contracts_total", "Contracts by how they ended.", ("layer", "status"))
        self._running = gauge("contracts_running", "Contracts at work now.")
        self._duration = gauge("run_duration_seconds", "How long a contract took.", _LABELS)
        self._ratio = gauge("quarantine_ratio", "Share of quarantined rows among those judged.", _LABELS)
        self._success = gauge("last_success_timestamp_seconds", "When a contract last succeeded.", _LABELS)

    def open(self) -> None:
        """Begin to serve."""
        try:
            self._server = self._client.start_http_server(self.port, self.host, self._registry)
        except OSError as error:
            self.problem = NotRecorded(
                f"metrics can't be served at {self.host}:{self.port}: {error.strerror}.",
                cure="Choose another --metrics-port or --metrics-host.",
            )
            logger.warning("{} The run goes on without.", self.problem)
            return
        self.port = self._server[0].server_port
        logger.info("Metrics are at http://{}:{}/metrics", self.host, self.port)

    def close(self) -> None:
        """Serve no longer, and free the port."""
        if self._server is not None:
            server, thread = self._server
            self._server = None
            server.shutdown()
            thread.join()
            server.server_close()

    @property
    def serves(self) -> bool:
        return self._server is not None

    def began(self, contract: str) -> None:
        """A contract is at work."""
        self._at_work.add(contract)
        self._running.set(len(self._at_work))

    def ended(self, row: Row) -> None:
        """A contract has come to its row."""
        self._at_work.discard(str(row["contract"]))
        self._running.set(len(self._at_work))
        layer, contract = str(row["layer"] or ""), str(row["contract"])
        self._contracts.labels(layer, row["status"]).inc()
        for outcome in _OUTCOMES:
            if (count := row[f"counts_{outcome}"]) is not None:
                self._rows.labels(layer, contract, outcome).inc(count)
        if row["started_at"] is not None:
            self._duration.labels(layer, contract).set(row["duration_seconds"])
        if row["quarantine_ratio"] is not None:
            self._ratio.labels(layer, contract).set(row["quarantine_ratio"])
        if row["status"] in _SUCCESSES and row["exit_code"] == 0:
            self._success.labels(layer, contract).set(_seconds(row["ended_at"]))

    def write(self, rows: Sequence[Row]) -> None:
        """The pipeline has come to its rows.

        Raises:
            NotRecorded: nobody could ask for them.
        """
        if self.problem is not None:
            raise self.problem
        pipeline = rows[0]
        # They are made only now: before, each would be 0, which is an exit code and a time.
        duration = self._gauge("pipeline_duration_seconds", "How long the pipeline took.")
        duration.set(pipeline["duration_seconds"])
        self._gauge("pipeline_exit_code", "The exit code of the pipeline.").set(pipeline["exit_code"])
        if pipeline["exit_code"] == 0:
            success = self._gauge("pipeline_last_success_timestamp_seconds", "When the pipeline last succeeded.")
            success.set(_seconds(pipeline["ended_at"]))

    def _gauge(self, name: str, meaning: str, labels: Sequence[str] = ()) -> Any:
        return self._client.Gauge(f"lakelogic_{name}", meaning, labels, registry=self._registry)

    def _counter(self, name: str, meaning: str, labels: Sequence[str]) -> Any:
        return self._client.Counter(f"lakelogic_{name}", meaning, labels, registry=self._registry)


def _seconds(moment: object) -> float:
    return moment.timestamp() if isinstance(moment, datetime) else 0.0
