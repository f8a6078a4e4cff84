"""Who is told what a run of the driver came to: whatever happens to it, and without harm to it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from types import TracebackType
from typing import Protocol, Self

from loguru import logger

from lakelogic.driver.nodes import Node
from lakelogic.driver.rows import contract_row, refusal, rows_of
from lakelogic.driver.summary import Outcome, Summary
from lakelogic.driver.watching import Everyone, Listener, Nobody
from lakelogic.errors import LakeLogicError, UsageError, did_you_mean
from lakelogic.observe.metrics_file import MetricsFile
from lakelogic.observe.prometheus import Exporter
from lakelogic.observe.rows import Row
from lakelogic.observe.summaries.base import NotRecorded, TableName, summary_backends
from lakelogic.run.begin import new_run_id

METRICS_BACKENDS = ("json", "prometheus")


class Observer(Protocol):
    """Keeps the rows of a run.

    Raises:
        NotRecorded: it can't.
    """

    def write(self, rows: Sequence[Row]) -> None: ...


@dataclass(frozen=True)
class Observation:
    """What is to be kept of a run, as the command line says it."""

    summary_table: str | None = None
    summary_backend: str | None = None
    summary_database: str | None = None
    metrics_path: Path | None = None
    metrics_backend: str | None = None
    metrics_host: str = "127.0.0.1"
    metrics_port: int = 9100

    def observers(self) -> Iterator[Observer]:
        """
        Raises:
            UsageError: something is missing, or a backend is unknown.
        """
        if self.summary_table is not None:
            backend = summary_backends.get(self.summary_backend or "duckdb")
            if self.summary_database is None:
                cure = "Add --summary-database with the file, folder or address."
                raise UsageError("--summary-table needs a database.", cure=cure)
            yield backend(self.summary_database, TableName.parse(self.summary_table))
        elif self.summary_backend or self.summary_database:
            raise UsageError(
                "a database for summaries is given, and no table.", cure="Add --summary-table schema.table."
            )
        if self.metrics_path is not None:
            yield MetricsFile(self.metrics_path)

    def exporter(self) -> Exporter | None:
        """What serves the numbers of the run, where that is asked for.

        Raises:
            UsageError: the backend is unknown, or lacks something.
        """
        backend = self.metrics_backend
        if backend not in (None, *METRICS_BACKENDS):
            cure = did_you_mean(str(backend), METRICS_BACKENDS)
            raise UsageError(f"--metrics-backend '{backend}' is unknown.", cure=cure)
        if backend == "json" and self.metrics_path is None:
            raise UsageError("--metrics-backend json needs a file.", cure="Add --metrics-path FILE.")
        return Exporter(self.metrics_host, self.metrics_port) if backend == "prometheus" else None


class Telling(Nobody):
    """Tells an exporter what happens."""

    def __init__(self, exporter: Exporter) -> None:
        self._exporter = exporter

    def began(self, node: Node, window: str) -> None:
        self._exporter.began(node.name)

    def ended(self, outcome: Outcome) -> None:
        self._exporter.ended(contract_row(outcome, None, datetime.now(UTC)))


@dataclass
class Observed:
    """Around a run of the driver: at its end every observer gets the rows, also if it raised or was interrupted."""

    observers: Sequence[Observer]
    exporter: Exporter | None = None
    engine: str | None = None
    summary: Summary | None = None
    _started: datetime = field(default_factory=lambda: datetime.now(UTC))

    @classmethod
    def of(cls, observation: Observation, engine: str | None, *, dry_run: bool) -> Observed:
        """What the command line asks for; a dry run writes nothing and serves nothing.

        Raises:
            UsageError: something is missing, or a backend is unknown.
        """
        observers, exporter = list(observation.observers()), observation.exporter()
        return cls((), None, engine) if dry_run else cls(observers, exporter, engine)

    def heard_by(self, listener: Listener) -> Listener:
        """The listener, and the exporter beside it."""
        return Everyone(listener, Telling(self.exporter)) if self.exporter is not None else listener

    def __enter__(self) -> Self:
        if self.exporter is not None:
            self.exporter.open()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, _trace: TracebackType | None
    ) -> None:
        rows = rows_of(self.summary) if self.summary is not None else [self._refusal(error)]
        problems = []
        for observer in (*self.observers, *([self.exporter] if self.exporter is not None else [])):
            try:
                observer.write(rows)
            except NotRecorded as problem:
                problems.append(str(problem))
                logger.error("{}", problem)
        if self.summary is not None:
            self.summary = replace(self.summary, not_recorded=tuple(problems))

    def close(self) -> None:
        """Serve no longer."""
        if self.exporter is not None:
            self.exporter.close()

    def _refusal(self, error: BaseException | None) -> Row:
        if isinstance(error, LakeLogicError):
            why, code = str(error).replace("\n", "; "), error.exit_code
        elif isinstance(error, KeyboardInterrupt):
            why, code = "interrupted before a contract began", 130
        else:
            # The text of a foreign error may hold values of the data.
            why, code = f"unexpected {type(error).__name__}: a defect of LakeLogic", 1
        ended = datetime.now(UTC)
        return refusal(new_run_id(self._started), self.engine, (self._started, ended), why, code)
