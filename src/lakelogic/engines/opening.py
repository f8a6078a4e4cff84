"""Which engine runs a contract, and opening it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lakelogic.engines.base import Engine
from lakelogic.errors import EngineUnavailable, did_you_mean

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

KNOWN = ("spark",)
LATER = ("duckdb", "polars")
DEFAULT = KNOWN[0]


@dataclass(frozen=True)
class EngineSettings:
    """How the engine is to be opened."""

    name: str | None = None
    session: SparkSession | None = None
    master: str | None = None
    spark: Mapping[str, str] = field(default_factory=dict)
    warehouse: Path = Path("warehouse")
    verbose: bool = False


def chosen_engine(settings: EngineSettings) -> str:
    """The name of the engine that was asked for, else of the default.

    Raises:
        EngineUnavailable: it is unknown, or not there yet.
    """
    name = settings.name or DEFAULT
    if name in LATER:
        raise EngineUnavailable(f"not supported yet: engine '{name}'.", cure="Use --engine spark.")
    if name not in KNOWN:
        raise EngineUnavailable(f"engine '{name}' is unknown.", cure=did_you_mean(name, KNOWN + LATER))
    return name


def open_engine(settings: EngineSettings, progress: Callable[[str], None]) -> Engine[Any]:
    """The engine that was asked for, else Spark.

    Raises:
        EngineUnavailable: it is unknown, or something it stands on is not installed.
    """
    chosen_engine(settings)
    from lakelogic.engines.spark.factory import open_spark

    progress("starting Spark")
    return open_spark(
        settings.session,
        settings.spark,
        master=settings.master,
        warehouse=settings.warehouse,
        verbose=settings.verbose,
    )
