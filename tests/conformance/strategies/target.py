"""One target, fed batch by batch as a run feeds it, without the files, the claim and the log around it."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import polars as pl
import pyarrow as pa
import pytest

from lakelogic import load_contract
from lakelogic.engines.base import Committed, Engine, Stamp
from lakelogic.engines.duckdb.engine import DuckDBEngine
from lakelogic.engines.opening import engines
from lakelogic.engines.polars.engine import PolarsEngine
from lakelogic.engines.spark.engine import SparkEngine
from lakelogic.plan.build import Given, build_plan
from lakelogic.plan.model import ReadPlan, Role, TablePlan
from lakelogic.run.judging import Judge, Probes
from lakelogic.run.publishing import Publisher
from lakelogic.sql.render import pin
from lakelogic.sql.types import Columns

Row = dict[str, Any]
BEGIN = datetime(2026, 1, 1, tzinfo=UTC)
_FRAME = ReadPlan("frame", "frame", "frame", "full", "a frame was given", ())


def at(hour: int) -> datetime:
    """A moment that tests name by a number."""
    return BEGIN + timedelta(hours=hour)


def engine_of(name: str, folder: Path, request: pytest.FixtureRequest) -> Engine[Any]:
    """An engine by its name, on the Spark of all tests or in a folder of its own."""
    if name == "spark":
        return SparkEngine(request.getfixturevalue("spark"), None)
    return {"duckdb": DuckDBEngine, "polars": PolarsEngine}[name](folder / "warehouse")


class Died(Exception):
    """The run ended before its end."""


class Target:
    """A table, and the contract that writes it."""

    def __init__(self, folder: Path, engine: Engine[Any], contract: Mapping[str, object], schema: pa.Schema) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        path = folder / "contract.yaml"
        path.write_text(json.dumps({"dataset": "things", "lineage": {"enabled": False}, **contract}), encoding="utf-8")
        columns = Columns.of(**{field.name: _TYPES[str(field.type)] for field in schema})
        render = engines.get(engine.name).render
        self._plan = build_plan(load_contract(path), Given(_FRAME, columns, engine.name, render))
        self._engine = engine
        self._schema = schema
        self._sequence = 0
        self._died = False

    def take(self, rows: Sequence[Row], now: datetime | None = None, *, dies_before: Role | None = None) -> Committed:
        """Write one batch; a run that dies before it writes a table is the same one the next time."""
        self._sequence += not self._died
        self._died = dies_before is not None
        run, started = f"run-{self._sequence}", now or at(1000 + self._sequence)

        def pinned(sql: str) -> str:
            return pin(sql, started=started, run_id=run, pipeline_run_id=run)

        def write(table: TablePlan, frame: Any, role: Role) -> Committed:
            if role == dies_before:
                raise Died
            stamp = Stamp(self._plan.writer(role), self._sequence, run, "plan", "input")
            return self._engine.write(table, frame, stamp)

        judge = Judge(self._plan, self._engine, {}, None, pinned)
        quiet = Probes(self._engine, frozenset(), observing=False)
        frame = self._engine.adopt(self._frame(rows))
        published = judge.published(judge.judge(frame, quiet).good)
        publisher = Publisher(self._plan, self._engine, pinned, write)
        publisher.stop_on_deletes(published)
        return publisher.publish(published)

    def _frame(self, rows: Sequence[Row]) -> Any:
        """The rows as a frame of the engine's own kind."""
        table = pa.Table.from_pylist(list(rows), self._schema)
        if isinstance(self._engine, SparkEngine):
            kinds = ", ".join(f"{field.name} {_TYPES[str(field.type)]}" for field in self._schema)
            return self._engine.session.createDataFrame([tuple(row.values()) for row in table.to_pylist()], kinds)
        if isinstance(self._engine, PolarsEngine):
            return pl.DataFrame(table)
        return table

    def rows(self, *columns: str) -> list[tuple[Any, ...]]:
        """The table's values, sorted."""
        from deltalake import DeltaTable

        found = DeltaTable(self._plan.target.location).to_pyarrow_table().to_pylist()
        return sorted((tuple(row[name] for name in columns) for row in found), key=str)

    def versions(self, beside: str = "") -> int:
        """How many commits the table, or one beside it, has seen."""
        from deltalake import DeltaTable

        return DeltaTable(f"{self._plan.target.location}{beside}").version() + 1


_TYPES = {"int64": "bigint", "string": "string", "timestamp[us, tz=UTC]": "timestamp", "bool": "boolean"}
