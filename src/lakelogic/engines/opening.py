"""Which engine runs a contract, why, and opening it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from loguru import logger

from lakelogic.engines.abilities import Ability
from lakelogic.engines.base import Engine
from lakelogic.errors import EngineUnavailable, Place, did_you_mean
from lakelogic.plan.storing import Render
from lakelogic.registry import Registry
from lakelogic.sources.read import FilesToRead

if TYPE_CHECKING:
    from lakelogic.engines.profiling import Profiler

Progress = Callable[[str], None]

AUTO = "auto"
# In order: the first that this machine can run is the default.
_DEFAULTS = ("spark", "duckdb")
_LIGHT = "duckdb"
# On one machine DuckDB was faster at every size that was measured, up to 0.5 GB (docs/benchmarks.md); a cluster may
# pay off beyond four times that.
CROSSOVER_BYTES = 2 << 30


def _nothing() -> str | None:
    return None


def _no_end() -> None:
    """Between runs, nothing is kept."""


@dataclass(frozen=True)
class EngineKind:
    """An engine before it is opened: how it writes SQL, how a run gets one, and what this machine lacks for it.

    One that is `instant` is opened without a wait, so that nothing needs to be found out before. `dialect` is the name
    that sqlglot has for its SQL. `writes` tells what it can do with tables of each format. `profile` looks at files that
    have no contract yet, at their first rows only if there is a limit. `end` ends what it keeps between runs.
    """

    render: Render
    open: Callable[[EngineSettings, Progress], Engine[Any]]
    missing: Callable[[], str | None] = _nothing
    instant: bool = False
    dialect: str = "spark"
    writes: Mapping[str, Ability] = field(default_factory=dict)
    profile: Callable[[FilesToRead, int | None], Profiler] | None = None
    end: Callable[[], None] = _no_end


engines: Registry[EngineKind] = Registry("engine", "lakelogic.engines", of_packages=True)


@dataclass(frozen=True)
class EngineSettings:
    """How the engine is to be opened; `session` is one that the caller has already, `input_bytes` what will be read.

    `formats` are those of the tables that it must know. `place` is where its name was written, if in a file.
    """

    name: str | None = None
    session: Any = None
    master: str | None = None
    spark: Mapping[str, str] = field(default_factory=dict)
    warehouse: Path = Path("warehouse")
    verbose: bool = False
    input_bytes: int | None = None
    formats: frozenset[str] = frozenset({"delta"})
    place: Place | None = None


@dataclass(frozen=True)
class Choice:
    """An engine's name, and why it is this one; nothing where it was asked for."""

    name: str
    reason: str | None = None


def packages(*names: str) -> Callable[[], str | None]:
    """Which of some packages is not installed."""
    return lambda: next((f"{name} is not installed" for name in names if find_spec(name) is None), None)


def light_engine() -> str:
    """The engine that starts at once, for a look at tables."""
    return _LIGHT


def open_profiler(wanted: FilesToRead, limit: int | None = None) -> Profiler:
    """Looks at files as a run would read them; at their first rows only, if there is a limit.

    Raises:
        EngineUnavailable: no engine here can do that.
    """
    kind = engines.get(_LIGHT)
    missing = kind.missing()
    if missing or kind.profile is None:
        raise EngineUnavailable(f"files can't be looked at: {missing}.", cure=f"pip install 'lakelogic[{_LIGHT}]'")
    return kind.profile(wanted, limit)


def chosen_engine(settings: EngineSettings) -> str:
    """The name of the engine that was asked for, else of the default.

    Raises:
        EngineUnavailable: it is unknown, or not installed.
    """
    return choice(settings).name


def choice(settings: EngineSettings) -> Choice:
    """The engine that was asked for, that suits the size of the input, or that this machine can run.

    Raises:
        EngineUnavailable: it is unknown, or not installed.
    """
    if settings.name is None or settings.name == AUTO:
        return _default(settings) if settings.name is None else _by_size(settings)
    if settings.name not in engines:
        known = (*engines.names(), AUTO)
        cure = did_you_mean(settings.name, known)
        raise EngineUnavailable(f"engine '{settings.name}' is unknown.", cure=cure, place=settings.place)
    return Choice(settings.name)


def open_engine(settings: EngineSettings, progress: Progress) -> Engine[Any]:
    """The engine that was asked for, else the default.

    Raises:
        EngineUnavailable: it is unknown, or something it stands on is not installed.
    """
    chosen = choice(settings)
    kind = engines.get(chosen.name)
    if missing := kind.missing():
        extra = f"pip install 'lakelogic[{chosen.name}]'"
        raise EngineUnavailable(f"engine '{chosen.name}' can't run here: {missing}.", cure=f"Install it: {extra}")
    if chosen.reason:
        logger.info("Engine {}: {}", chosen.name, chosen.reason)
    return kind.open(settings, progress)


def end_engines() -> None:
    """End what engines keep between runs, such as a JVM; the next run starts it again. No run may be at work."""
    for _, kind in engines:
        kind.end()


def _default(settings: EngineSettings) -> Choice:
    first, *others = _DEFAULTS
    missing = None if settings.session is not None else engines.get(first).missing()
    if missing is None:
        return Choice(first)
    for name in others:
        if engines.get(name).missing() is None:
            return Choice(name, f"the default where {missing}")
    return Choice(first)


def _by_size(settings: EngineSettings) -> Choice:
    size, limit = settings.input_bytes, f"{CROSSOVER_BYTES >> 20} MB"
    if size is None:
        found = _default(settings)
        return Choice(found.name, "the size of the input is not known before it is read")
    if size > CROSSOVER_BYTES and engines.get(_DEFAULTS[0]).missing() is None:
        return Choice(_DEFAULTS[0], f"the input has {size >> 20} MB, more than {limit}")
    return Choice(_LIGHT, f"the input has {max(size >> 20, 1)} MB, at most {limit}")
