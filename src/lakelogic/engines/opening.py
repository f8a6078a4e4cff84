"""Which engine runs a contract, and opening it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from lakelogic.engines.base import Engine
from lakelogic.errors import EngineUnavailable, did_you_mean
from lakelogic.plan.build import Render
from lakelogic.registry import Registry

Progress = Callable[[str], None]


@dataclass(frozen=True)
class EngineKind:
    """An engine before it is opened: how it writes SQL, and how a run gets one."""

    render: Render
    open: Callable[[EngineSettings, Progress], Engine[Any]]


engines: Registry[EngineKind] = Registry("engine", "lakelogic.engines")

DEFAULT = "spark"
LATER = ("duckdb", "polars")


@dataclass(frozen=True)
class EngineSettings:
    """How the engine is to be opened; `session` is one that the caller has already."""

    name: str | None = None
    session: Any = None
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
    if name in LATER and name not in engines:
        raise EngineUnavailable(f"not supported yet: engine '{name}'.", cure=f"Use --engine {DEFAULT}.")
    if name not in engines:
        raise EngineUnavailable(f"engine '{name}' is unknown.", cure=did_you_mean(name, engines.names()))
    return name


def open_engine(settings: EngineSettings, progress: Progress) -> Engine[Any]:
    """The engine that was asked for, else the default.

    Raises:
        EngineUnavailable: it is unknown, or something it stands on is not installed.
    """
    return engines.get(chosen_engine(settings)).open(settings, progress)
