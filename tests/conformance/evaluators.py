"""Engines as the conformance tests see them: a query and rows go in, rows come out."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Protocol

import pyarrow as pa
from sqlglot import exp

from lakelogic.engines.duckdb.session import Session
from lakelogic.formats.arrow_types import arrow_schema
from lakelogic.sql.duckdb.render import to_duckdb
from lakelogic.sql.render import to_spark
from lakelogic.sql.types import Columns

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

Row = dict[str, Any]

_LOCAL_SHORT_CUT = "org.apache.spark.sql.catalyst.optimizer.ConvertToLocalRelation"


@dataclass(frozen=True)
class Frame:
    """Rows of a table, with Spark's names of their types."""

    types: Mapping[str, str]
    rows: Sequence[Mapping[str, Any]]

    @property
    def columns(self) -> Columns:
        return Columns.of(**self.types)


class Evaluator(Protocol):
    """An engine that can answer a query over frames, of which one is called `source`; `refuses` what it can't."""

    name: str
    refuses: frozenset[str]

    def evaluate(self, query: exp.Query, frames: Mapping[str, Frame]) -> list[Row]: ...


class SparkEvaluator:
    """Answers with Spark."""

    name = "spark"
    refuses: frozenset[str] = frozenset()

    def __init__(self, session: SparkSession) -> None:
        self._session = session
        # Rows that are at hand would be computed by the optimizer, and not by the code that a real run compiles.
        session.conf.set("spark.sql.optimizer.excludedRules", _LOCAL_SHORT_CUT)

    def evaluate(self, query: exp.Query, frames: Mapping[str, Frame]) -> list[Row]:
        sql = to_spark(query, frames["source"].columns)
        with self._views(frames):
            found = self._session.sql(sql).collect()
        return [{name: plain(value) for name, value in row.asDict(recursive=True).items()} for row in found]

    @contextmanager
    def _views(self, frames: Mapping[str, Frame]) -> Iterator[None]:
        for name, frame in frames.items():
            self._session.createDataFrame(_table(frame)).createOrReplaceTempView(_quoted(name))
        try:
            yield
        finally:
            for name in frames:
                self._session.catalog.dropTempView(name)


class DuckDBEvaluator:
    """Answers with DuckDB, which evaluates for Polars, too."""

    name = "duckdb"
    # What has no equal there is refused before a run, and not tried here.
    refuses: frozenset[str] = frozenset({"factorial", "conv", "binary"})

    def evaluate(self, query: exp.Query, frames: Mapping[str, Frame]) -> list[Row]:
        session = Session()
        relations = {name: session.register(_table(frame)) for name, frame in frames.items()}
        columns = {name: frame.columns for name, frame in frames.items()}
        sql = to_duckdb(query, columns.pop("source"), columns)
        found = session.relation(session.select(sql, relations)).to_arrow_table()
        return [{name: _python_value(row[name], found.field(name).type) for name in row} for row in found.to_pylist()]


def _python_value(value: Any, kind: pa.DataType) -> Any:
    return dict(value) if pa.types.is_map(kind) and value is not None else plain(value)


def _table(frame: Frame) -> pa.Table:
    schema = arrow_schema(frame.columns)
    values = {field.name: [_arrow_value(row[field.name], field.type) for row in frame.rows] for field in schema}
    return pa.table([pa.array(values[field.name], field.type) for field in schema], schema=schema)


def _arrow_value(value: Any, kind: pa.DataType) -> Any:
    return list(value.items()) if pa.types.is_map(kind) and value is not None else value


def plain(value: Any) -> Any:
    """A value that compares the same whatever the machine's time zone."""
    return value.astimezone(UTC) if isinstance(value, datetime) else value


def alike(rows: Sequence[Mapping[str, Any]]) -> list[str]:
    """Rows without their order."""
    return sorted(repr(dict(row)) for row in rows)


def _quoted(name: str) -> str:
    return "`" + name.replace("`", "``") + "`"
