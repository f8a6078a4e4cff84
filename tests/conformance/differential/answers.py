"""What an engine answers to many expressions at once, in a form in which answers can be compared."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

import pyarrow as pa

from lakelogic.formats.arrow_types import arrow_schema, spark_name
from lakelogic.sql.duckdb.macros import Macros
from tests.conformance.evaluators import Frame

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


Key = TypeVar("Key")


@dataclass(frozen=True)
class Answer:
    """The type of a column by Spark's name, and its values."""

    type: str
    values: tuple[Any, ...]


class Engine(Protocol):
    """Runs SQL over the rows."""

    def table(self, sql: str) -> pa.Table: ...


class Spark:
    """The oracle."""

    def __init__(self, session: SparkSession, frame: Frame) -> None:
        self._session = session
        # Rows that are at hand would be computed by the optimizer, and not by the code that a real run compiles.
        session.conf.set("spark.sql.optimizer.excludedRules", _LOCAL_SHORT_CUT)
        rows = session.createDataFrame(arrow_table(frame))
        # Spark takes a timestamp without a zone for one in its own.
        for name, kind in frame.types.items():
            rows = rows.withColumn(name, rows[name].cast(kind)) if kind == "timestamp_ntz" else rows
        rows.createOrReplaceTempView("source")

    def table(self, sql: str) -> pa.Table:
        return self._session.sql(sql).toArrow()


class DuckDB:
    """A light engine."""

    def __init__(self, frame: Frame) -> None:
        import duckdb

        self.connection = duckdb.connect()
        self._macros = Macros(self.connection)
        self.connection.register("source_rows", arrow_table(frame))
        self.connection.execute("CREATE TABLE source AS SELECT * FROM source_rows")

    def table(self, sql: str) -> pa.Table:
        return self.connection.sql(self._macros.provide(sql)).to_arrow_table()


def arrow_table(frame: Frame) -> pa.Table:
    """The rows as both engines take them."""
    schema = arrow_schema(frame.columns)
    values = {field.name: [_arrow_value(row[field.name], field.type) for row in frame.rows] for field in schema}
    return pa.table([pa.array(values[field.name], field.type) for field in schema], schema=schema)


def _arrow_value(value: Any, kind: pa.DataType) -> Any:
    return list(value.items()) if pa.types.is_map(kind) and value is not None else value


_LOCAL_SHORT_CUT = "org.apache.spark.sql.catalyst.optimizer.ConvertToLocalRelation"


def columns_of(engine: Engine, expressions: Mapping[Key, str], tail: str = "") -> dict[Key, Answer]:
    """One query for many expressions; rows come in the order of their number."""
    names = {f"c{position}": key for position, key in enumerate(expressions)}
    listed = ", ".join(f"{sql} AS {name}" for name, sql in zip(names, expressions.values(), strict=True))
    found = engine.table(f"SELECT {listed} FROM source {tail}")
    return {
        key: Answer(_type(found.schema.field(name).type), _values(found.column(name))) for name, key in names.items()
    }


def rows_of(engine: Engine, sql: str) -> Answer:
    """The rows of a whole query, without their order."""
    found = engine.table(sql)
    columns = [_values(found.column(position)) for position in range(found.num_columns)]
    kinds = ",".join(f"{field.name}:{_type(field.type)}" for field in found.schema)
    return Answer(kinds, tuple(sorted(zip(*columns, strict=True), key=repr)))


def _type(data_type: pa.DataType) -> str:
    return (spark_name(data_type) or str(data_type)).replace("`", "")


def _values(column: pa.ChunkedArray) -> tuple[Any, ...]:
    # Python has no year 10000, so moments are compared as numbers.
    return tuple(_plain(value) for value in column.cast(_countable(column.type)).to_pylist())


def _countable(data_type: pa.DataType) -> pa.DataType:
    if pa.types.is_date32(data_type):
        return pa.int32()
    if pa.types.is_timestamp(data_type):
        return pa.int64()
    if pa.types.is_list(data_type):
        return pa.list_(_countable(data_type.value_type))
    return data_type


def _plain(value: Any) -> Any:
    """A value of which equality is sameness: NaN is itself, and 0.0 is not -0.0."""
    if isinstance(value, float):
        return repr(value)
    if isinstance(value, dict):
        return tuple((key, _plain(part)) for key, part in value.items())
    if isinstance(value, (list, tuple)):
        return tuple(_plain(part) for part in value)
    return value


def same(left: Answer, right: Answer, tolerance: float = 0.0) -> bool:
    """Whether two answers are the same; floats may differ by a relative tolerance."""
    if left.type != right.type or len(left.values) != len(right.values):
        return False
    if left.values == right.values:
        return True
    return bool(tolerance) and all(_close(a, b, tolerance) for a, b in zip(left.values, right.values, strict=True))


def _close(left: Any, right: Any, tolerance: float) -> bool:
    if left == right:
        return True
    try:
        return math.isclose(float(left), float(right), rel_tol=tolerance)
    except (TypeError, ValueError):
        return False


def difference(left: Answer, right: Answer) -> str:
    """The first difference, in words."""
    if left.type != right.type:
        return f"type {left.type} and {right.type}"
    for number, (a, b) in enumerate(zip(left.values, right.values, strict=False)):
        if a != b:
            return f"row {number}: {a!r} and {b!r}"
    return f"{len(left.values)} and {len(right.values)} rows"
