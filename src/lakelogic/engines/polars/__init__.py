"""Polars: takes and returns its frames; contract SQL is evaluated by DuckDB over Arrow."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lakelogic.engines.duckdb import WRITES, render
from lakelogic.engines.opening import EngineKind, EngineSettings, Progress, engines, packages

if TYPE_CHECKING:
    from lakelogic.engines.polars.engine import PolarsEngine


def open_engine(settings: EngineSettings, progress: Progress) -> PolarsEngine:
    """The Polars engine, with a DuckDB database of its own."""
    from lakelogic.engines.polars.engine import PolarsEngine

    progress("opening Polars")
    return PolarsEngine(settings.warehouse)


engines.add("polars")(
    EngineKind(render, open_engine, packages("polars", "duckdb"), instant=True, dialect="duckdb", writes=WRITES)
)
