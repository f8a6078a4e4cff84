"""Spark as an engine: one session for a run, frames that are DataFrames, tables of several formats."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from functools import reduce
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING

from sqlglot import exp

from lakelogic.engines.base import Capabilities, Shared
from lakelogic.engines.spark import reading
from lakelogic.engines.spark.errors import source_error
from lakelogic.engines.spark.formats.delta import DeltaTables
from lakelogic.engines.spark.formats.files import file_tables
from lakelogic.engines.spark.formats.iceberg import IcebergTables
from lakelogic.engines.spark.quiet import quiet_errors
from lakelogic.engines.spark.relations import named
from lakelogic.engines.spark.session import run_session
from lakelogic.engines.spark.types import columns_of, spark_schema
from lakelogic.engines.table_format import TableFormat, TablesByFormat
from lakelogic.engines.waiting import Waiting
from lakelogic.errors import UsageError
from lakelogic.plan.as_files import FILE_FORMATS
from lakelogic.plan.model import TablePlan
from lakelogic.sources.read import FilesToRead, TableToRead
from lakelogic.sql.build import quoted
from lakelogic.sql.types import STRING, Column, Columns

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, Observation, SparkSession

# Metrics reach the driver through a queue of events shortly after the job; one that never comes is unknown.
_OBSERVE_SECONDS = 20.0
_VIEWS = count()
# A format is one line here and one file in formats/.
FORMATS: Mapping[str, Callable[[SparkSession, Path | None], TableFormat[DataFrame]]] = {
    "delta": DeltaTables,
    "iceberg": IcebergTables,
    **{kind: file_tables(kind) for kind in FILE_FORMATS},
}


class SparkEngine(TablesByFormat["DataFrame"]):
    """Runs one contract on a session of its own."""

    name = "spark"

    def __init__(self, base: SparkSession, warehouse: Path | None) -> None:
        self._quiet = ExitStack()
        self._quiet.enter_context(quiet_errors())
        self._base = base
        self.session = run_session(base)
        self._is_connect = _is_connect(base)
        self.can = Capabilities(observe=not self._is_connect)
        self._warehouse = warehouse
        self._formats: dict[str, TableFormat[DataFrame]] = {}
        self._observations: dict[str, Observation] = {}
        self._held: list[DataFrame] = []
        self._shared: list[str] = []

    def files_columns(self, wanted: FilesToRead) -> FilesToRead:
        with source_error(wanted.root):
            return reading.with_json_columns(self.session, wanted)

    def table_columns(self, wanted: TableToRead) -> tuple[TableToRead, Columns]:
        return self._format(wanted.format).pin(wanted)

    def frame_columns(self, frame: DataFrame) -> Columns:
        return columns_of(_spark_frame(frame).schema)

    def read_files(self, wanted: FilesToRead) -> DataFrame:
        with source_error(wanted.root):
            return reading.read_files(self.session, wanted)

    def read_table(self, wanted: TableToRead) -> DataFrame:
        return self._format(wanted.format).read(wanted)

    def adopt(self, frame: DataFrame) -> DataFrame:
        """A frame of another session, seen through a view that all sessions share."""
        view = f"_ll_frame_{next(_VIEWS)}"
        frame.createOrReplaceGlobalTempView(view)
        self._shared.append(view)
        return self.session.sql(f"SELECT * FROM global_temp.{view}")

    def handed(self, frame: DataFrame) -> DataFrame:
        return frame

    def select(self, sql: str, relations: Mapping[str, DataFrame]) -> DataFrame:
        views = {name: f"_ll_view_{next(_VIEWS)}" for name in relations}
        for name, frame in relations.items():
            frame.createOrReplaceTempView(views[name])
        return self.session.sql(named(sql, views))

    def measure(self, sql: str, relations: Mapping[str, DataFrame]) -> Mapping[str, object]:
        row = self.select(sql, relations).first()
        return row.asDict() if row is not None else {}

    def rows(self, sql: str, relations: Mapping[str, DataFrame], limit: int) -> Sequence[Mapping[str, object]]:
        return self.head(self.select(sql, relations), limit)

    def head(self, frame: DataFrame, limit: int) -> Sequence[Mapping[str, object]]:
        with source_error("the rows to show"):
            return [row.asDict(recursive=True) for row in frame.limit(limit).collect()]

    def texts(self, columns: Mapping[str, Sequence[str | None]]) -> DataFrame:
        schema = spark_schema(Columns(tuple(Column(name, STRING) for name in columns)))
        return self.session.createDataFrame(list(zip(*columns.values(), strict=True)), schema)

    def keys(self, secrets: Mapping[str, bytes]) -> DataFrame:
        from pyspark.sql.types import BinaryType, StructField, StructType

        schema = StructType([StructField(f"_ll_key_{name}", BinaryType()) for name in secrets])
        row = tuple(bytearray(value) for value in secrets.values())
        return self.broadcast(self.session.createDataFrame([row], schema))

    def broadcast(self, frame: DataFrame) -> DataFrame:
        from pyspark.sql import functions as F

        return F.broadcast(frame)

    def union(self, frames: Sequence[DataFrame]) -> DataFrame:
        return reduce(lambda left, right: left.unionByName(right, allowMissingColumns=True), frames)

    def without(self, frame: DataFrame, columns: Sequence[str]) -> DataFrame:
        return frame.drop(*columns)

    def observe(self, frame: DataFrame, name: str, metrics: Mapping[str, str]) -> DataFrame:
        from pyspark.sql import Observation
        from pyspark.sql import functions as F

        observation = Observation(f"{name}-{next(_VIEWS)}")
        self._observations[name] = observation
        return frame.observe(observation, *(F.expr(sql).alias(metric) for metric, sql in metrics.items()))

    def tally(self, frame: DataFrame, name: str, column: str, values: Sequence[str], shown: Sequence[str]) -> DataFrame:
        present = {other.lower() for other in frame.columns}
        row = ", ".join(quoted(other) for other in shown if other.lower() in present) or "NULL AS `_`"
        holds = [f"array_contains({quoted(column)}, {exp.Literal.string(value).sql('spark')})" for value in values]
        counts = ", ".join(f"count_if({held})" for held in holds)
        # Only the row that is kept is turned into text.
        ones = {f"one{i}": f"first(IF({held}, to_json(struct({row})), NULL), true)" for i, held in enumerate(holds)}
        return self.observe(frame, name, {"rows": "count(1)", "counts": f"to_json(array({counts}))", **ones})

    def observed(self, name: str) -> Mapping[str, object] | None:
        from py4j.protocol import Py4JError

        observation = self._observations[name]
        # A point that the optimiser has removed, or that nothing has passed, is never reached or answers with an empty row.
        asked = Waiting(lambda: observation.get, "observation", _OBSERVE_SECONDS)
        if asked.error is not None and not isinstance(asked.error, Py4JError):
            raise asked.error
        return dict(asked.result) if asked.result else None

    def gather(self, frame: DataFrame) -> DataFrame:
        return frame

    def hold(self, frame: DataFrame) -> DataFrame:
        self._held.append(frame.persist())
        return frame

    def share(self, frame: DataFrame) -> Shared:
        return Shared(frame.persist(), frame.unpersist)

    def take(self, shared: Shared) -> DataFrame:
        return self.adopt(shared.rows)

    def read_back(self, table: TablePlan, version: int | None) -> DataFrame:
        """A table of ours as a commit left it."""
        return self.read_table(TableToRead(table.location, table.is_name, version, format=table.format))

    def interrupt(self) -> None:
        self.session.interruptAll()

    def close(self) -> None:
        self._quiet.close()
        for frame in self._held:
            frame.unpersist()
        self._held.clear()
        # A frame of Connect looks its views up again whenever it is used; elsewhere it has taken them in.
        if not self._is_connect:
            for view in self._shared:
                self.session.catalog.dropGlobalTempView(view)
            self._shared.clear()
        # Making a frame from values makes its session the active one; that is the caller's again.
        self._base.createDataFrame([], "_ll_none int")

    def _format(self, name: str) -> TableFormat[DataFrame]:
        """How tables of a format are handled; made by the first that is asked for."""
        if name not in self._formats:
            self._formats[name] = FORMATS[name](self.session, self._warehouse)
        return self._formats[name]


def _spark_frame(frame: object) -> DataFrame:
    """A frame of the caller, if it is one of Spark's."""
    from pyspark.sql import DataFrame

    if isinstance(frame, DataFrame):
        return frame
    kind = f"{type(frame).__module__}.{type(frame).__name__}"
    raise UsageError(f"a frame for Spark must be a Spark DataFrame, not {kind}.", cure="Convert it first.")


def _is_connect(session: SparkSession) -> bool:
    return type(session).__module__.startswith("pyspark.sql.connect")
