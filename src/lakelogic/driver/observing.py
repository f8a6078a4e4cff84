"""Who is told what a run of the driver came to: whatever happens to it, and without harm to it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from types import TracebackType
from typing import Protocol, Self

from loguru import logger

from lakelogic.driver.rows import refusal, rows_of
from lakelogic.driver.summary import Summary
from lakelogic.errors import LakeLogicError, UsageError
from lakelogic.observe.metrics_file import MetricsFile
from lakelogic.observe.rows import Row
from lakelogic.observe.summaries.base import NotRecorded, TableName, summary_backends
from lakelogic.run.begin import new_run_id


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


@dataclass
class Observed:
    """Around a run of the driver: at its end every observer gets the rows, also if it raised or was interrupted."""

    observers: Sequence[Observer]
    engine: str | None = None
    summary: Summary | None = None
    problems: list[str] = field(default_factory=list)
    _started: datetime = field(default_factory=lambda: datetime.now(UTC))

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, _trace: TracebackType | None
    ) -> None:
        rows = rows_of(self.summary) if self.summary is not None else [self._refusal(error)]
        for observer in self.observers:
            try:
                observer.write(rows)
            except NotRecorded as problem:
                self.problems.append(str(problem))
                logger.error("{}", problem)
        if self.summary is not None:
            self.summary = replace(self.summary, not_recorded=tuple(self.problems))

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
