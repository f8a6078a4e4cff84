"""DuckDB: imported only when a run asks for it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from lakelogic.engines.abilities import FILES, Ability
from lakelogic.engines.opening import EngineKind, EngineSettings, Progress, engines, packages
from lakelogic.write.operations import AppendRows

if TYPE_CHECKING:
    from sqlglot import exp

    from lakelogic.engines.duckdb.engine import DuckDBEngine
    from lakelogic.engines.duckdb.profiling import FileProfiler
    from lakelogic.sources.read import FilesToRead
    from lakelogic.sql.types import Columns


def render(tree: exp.Expr, columns: Columns, links: Mapping[str, Columns] | None = None) -> str:
    """DuckDB SQL with the meaning that the tree has in Spark."""
    from lakelogic.sql.duckdb.render import to_duckdb

    return to_duckdb(tree, columns, links)


def open_engine(settings: EngineSettings, progress: Progress) -> DuckDBEngine:
    """The DuckDB engine, with a database of its own."""
    from lakelogic.engines.duckdb.engine import DuckDBEngine

    progress("opening DuckDB")
    return DuckDBEngine(settings.warehouse)


def open_profiler(wanted: FilesToRead, limit: int | None) -> FileProfiler:
    """A look at files before there is a contract."""
    from lakelogic.engines.duckdb.profiling import FileProfiler

    return FileProfiler(wanted, limit)


# delta-rs goes over all columns for each that it merges.
WRITES = {"delta": Ability(merged_columns=1_000), "iceberg": Ability((AppendRows,), upkeep=False), **FILES}

engines.add("duckdb")(
    EngineKind(
        render,
        open_engine,
        packages("duckdb"),
        instant=True,
        dialect="duckdb",
        writes=WRITES,
        profile=open_profiler,
    )
)
