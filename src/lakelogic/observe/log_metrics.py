"""Numbers over a whole run log, read anew whenever Prometheus asks."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from loguru import logger

from lakelogic.errors import StateError
from lakelogic.observe import metrics
from lakelogic.observe.metrics import OUTCOMES, Metric
from lakelogic.state.runlog import RunLog

if TYPE_CHECKING:
    from prometheus_client import CollectorRegistry
    from prometheus_client.metrics_core import CounterMetricFamily, GaugeMetricFamily

_COUNTS = [f"counts_{outcome}" for outcome in OUTCOMES]
_COLUMNS = [
    "contract", "layer", "status", "ended_at", "duration_seconds", "quarantine_ratio", "dataset_rules", *_COUNTS
]  # fmt: skip
# A run whose dataset rules failed has written its rows and holds back others: that is no success to rely on.
_BY_CONTRACT = f"""
    SELECT coalesce(layer, '') AS layer, contract,
           {", ".join(f"sum({name})::DOUBLE AS {name}" for name in _COUNTS)},
           arg_max(duration_seconds, ended_at) FILTER (status NOT IN ('skipped', 'blocked')) AS duration,
           arg_max(quarantine_ratio, ended_at) FILTER (quarantine_ratio IS NOT NULL) AS ratio,
           epoch(max(ended_at) FILTER (
               status IN ('succeeded', 'no_new_data')
               AND coalesce(len(list_filter(dataset_rules, lambda r: r.status <> 'passed' AND r.severity = 'error')), 0) = 0
           )) AS success
    FROM run_log WHERE contract IS NOT NULL GROUP BY ALL ORDER BY ALL
"""
_BY_STATUS = """
    SELECT coalesce(layer, '') AS layer, status, count(*)::DOUBLE AS runs FROM run_log
    WHERE status IS NOT NULL GROUP BY ALL ORDER BY ALL
"""

Totals = Mapping[str, object]


class LogCollector:
    """What a scrape is told of a run log; one that can't be read is a number, too."""

    def __init__(self, folder: Path) -> None:
        self._log = RunLog(folder)
        self._told: str | None = None

    def collect(self) -> Iterator[CounterMetricFamily | GaugeMetricFamily]:
        """The metrics of a registry."""
        try:
            contracts, statuses = self._totals()
        except StateError as error:
            if str(error) != self._told:
                logger.error("{}", error)
            self._told = str(error)
            yield _family(metrics.LOG_UP, [((), 0.0)])
            return
        self._told = None
        yield _family(metrics.LOG_UP, [((), 1.0)])
        yield _family(metrics.ROWS, _rows(contracts))
        yield _family(metrics.CONTRACTS, _values(statuses, ("layer", "status"), "runs"))
        for metric, column in ((metrics.DURATION, "duration"), (metrics.RATIO, "ratio"), (metrics.SUCCESS, "success")):
            yield _family(metric, _values(contracts, ("layer", "contract"), column))

    def _totals(self) -> tuple[list[Totals], list[Totals]]:
        from lakelogic.engines.duckdb.database import answer

        runs = self._log.arrow(_COLUMNS)
        return answer(_BY_CONTRACT, run_log=runs).to_pylist(), answer(_BY_STATUS, run_log=runs).to_pylist()


def registry_of(folder: Path) -> CollectorRegistry:
    """A registry that tells of the run log in a state folder."""
    from prometheus_client import CollectorRegistry

    registry = CollectorRegistry()
    registry.register(LogCollector(folder))
    return registry


def _rows(contracts: Iterable[Totals]) -> Iterator[tuple[tuple[str, ...], float]]:
    for contract in contracts:
        for outcome in OUTCOMES:
            if (count := contract[f"counts_{outcome}"]) is not None:
                yield (str(contract["layer"]), str(contract["contract"]), outcome), float(str(count))


def _values(rows: Iterable[Totals], labels: tuple[str, ...], column: str) -> Iterator[tuple[tuple[str, ...], float]]:
    for row in rows:
        if (value := row[column]) is not None:
            yield tuple(str(row[label]) for label in labels), float(str(value))


def _family(metric: Metric, values: Iterable[tuple[tuple[str, ...], float]]) -> CounterMetricFamily | GaugeMetricFamily:
    from prometheus_client.metrics_core import CounterMetricFamily, GaugeMetricFamily

    kind = CounterMetricFamily if metric.kind == "counter" else GaugeMetricFamily
    family = kind(metric.name, metric.meaning, labels=metric.labels)
    for labels, value in values:
        family.add_metric(labels, value)
    return family
