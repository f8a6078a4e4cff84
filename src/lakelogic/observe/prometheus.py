"""The numbers of a pipeline run, which Prometheus asks for while the run goes on."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING

from loguru import logger

from lakelogic.observe import metrics
from lakelogic.observe.metrics import Metric
from lakelogic.observe.metrics_page import MetricsPage
from lakelogic.observe.rows import Row, Value
from lakelogic.observe.summaries.base import NotRecorded

if TYPE_CHECKING:
    from prometheus_client import Counter, Gauge


class Exporter:
    """Serves `/metrics`. A port that is taken is told, and harms nothing else."""

    def __init__(self, host: str, port: int) -> None:
        from prometheus_client import CollectorRegistry

        self.problem: NotRecorded | None = None
        self._registry = CollectorRegistry()
        self._page = MetricsPage(self._registry, host, port)
        self._at_work: set[str] = set()
        self._rows = self._counter(metrics.ROWS)
        self._contracts = self._counter(metrics.CONTRACTS)
        self._running = self._gauge(metrics.RUNNING)
        self._duration = self._gauge(metrics.DURATION)
        self._ratio = self._gauge(metrics.RATIO)
        self._success = self._gauge(metrics.SUCCESS)

    @property
    def port(self) -> int:
        return self._page.port

    @property
    def serves(self) -> bool:
        return self._page.is_open

    def open(self) -> None:
        """Begin to serve."""
        try:
            self._page.open()
        except OSError as error:
            self.problem = NotRecorded(
                f"metrics can't be served at {self._page.host}:{self._page.port}: {error.strerror}.",
                cure="Choose another --metrics-port or --metrics-host.",
            )
            logger.warning("{} The run goes on without.", self.problem)
            return
        logger.info("Metrics are at {}", self._page.address)

    def close(self) -> None:
        """Serve no longer, and free the port."""
        self._page.close()

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
        for outcome in metrics.OUTCOMES:
            if (count := row[f"counts_{outcome}"]) is not None:
                self._rows.labels(layer, contract, outcome).inc(_number(count))
        if row["started_at"] is not None:
            self._duration.labels(layer, contract).set(_number(row["duration_seconds"]))
        if row["quarantine_ratio"] is not None:
            self._ratio.labels(layer, contract).set(_number(row["quarantine_ratio"]))
        if row["status"] in metrics.SUCCESSES and row["exit_code"] == 0:
            self._success.labels(layer, contract).set(_number(row["ended_at"]))

    def write(self, rows: Sequence[Row]) -> None:
        """The pipeline has come to its rows.

        Raises:
            NotRecorded: nobody could ask for them.
        """
        if self.problem is not None:
            raise self.problem
        pipeline = rows[0]
        # They are made only now: before, each would be 0, which is an exit code and a time.
        self._gauge(metrics.PIPELINE_DURATION).set(_number(pipeline["duration_seconds"]))
        self._gauge(metrics.PIPELINE_EXIT_CODE).set(_number(pipeline["exit_code"]))
        if pipeline["exit_code"] == 0:
            self._gauge(metrics.PIPELINE_SUCCESS).set(_number(pipeline["ended_at"]))

    def _gauge(self, metric: Metric) -> Gauge:
        from prometheus_client import Gauge

        return Gauge(metric.name, metric.meaning, metric.labels, registry=self._registry)

    def _counter(self, metric: Metric) -> Counter:
        from prometheus_client import Counter

        return Counter(metric.name, metric.meaning, metric.labels, registry=self._registry)


def _number(value: Value) -> float:
    """A number of a row; a moment in seconds."""
    return value.timestamp() if isinstance(value, datetime) else float(value or 0)
