"""Whether what a contract needs is there and new enough, as the run log tells it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from pathlib import Path
from threading import Lock

from lakelogic.contract.service_levels import FreshnessLimit
from lakelogic.contract.values import parse_duration
from lakelogic.driver.nodes import Node
from lakelogic.formats.bytes import is_uri
from lakelogic.plan.locations import Location
from lakelogic.plan.tables import target_of
from lakelogic.state.runlog import RunLog

_UP_TO_DATE = ("succeeded", "no_new_data")
_DEFAULT = "default"


@dataclass(frozen=True)
class Readiness:
    """Why a contract must wait, if it must, and what is worth recording where it need not."""

    skip: str | None = None
    warnings: tuple[str, ...] = ()


@dataclass
class UpstreamLog:
    """When each contract succeeded last; a log is read once."""

    _known: dict[Path, Mapping[str, datetime] | None] = field(default_factory=dict)
    _lock: Lock = field(default_factory=Lock)

    def successes(self, folder: Path) -> Mapping[str, datetime] | None:
        """The last success of each contract in the log of a state folder; None where there is no log yet."""
        with self._lock:
            if folder not in self._known:
                self._known[folder] = self._read(RunLog(folder))
            return self._known[folder]

    def _read(self, log: RunLog) -> Mapping[str, datetime] | None:
        if not log.exists:
            return None
        rows = log.rows(["contract", "status", "ended_at"])
        return {str(row["contract"]): row["ended_at"] for row in rows if row["status"] in _UP_TO_DATE}


def unmade(upstreams: Mapping[str, Node]) -> str | None:
    """Why a contract can't read what it needs: the tables of these upstreams were never made."""
    names = [name for name, node in upstreams.items() if not _is_there(target_of(node.contract))]
    if not names:
        return None
    layers = ",".join(sorted({layer for name in names if (layer := upstreams[name].layer)}))
    first = f"--layers {layers}" if layers else "those"
    return f"it reads {', '.join(map(repr, names))}, which did not run yet. Run {first} first."


def readiness(node: Node, upstreams: Mapping[str, Node | None], log: UpstreamLog, now: datetime) -> Readiness:
    """Whether a contract may run, given the upstreams that do not run with it; None is one that no registry lists."""
    warnings: list[str] = []
    for name, upstream in upstreams.items():
        folder = (upstream or node).contract.project.state_dir
        successes = log.successes(folder)
        if successes is None:
            warnings.append(f"there is no run log in {folder}, so nobody knows whether '{name}' is up to date")
            continue
        last = successes.get(name)
        late = _missing(node, name) if last is None else _lateness(node, name, now - last)
        if late.skip is not None:
            return late
        warnings += late.warnings
    return Readiness(warnings=tuple(warnings))


def _is_there(target: Location) -> bool:
    """Whether a table is in its place, as far as a look at this machine's disk can tell."""
    return target.is_name or is_uri(target.text) or Path(target.text).exists()


def _missing(node: Node, name: str) -> Readiness:
    told = f"upstream '{name}' has no successful run in the log"
    return _tolerated(told) if node.contract.model.metadata.upstream_policy == "warn" else Readiness(told)


def _tolerated(told: str) -> Readiness:
    return Readiness(warnings=(f"{told}: upstream_policy is warn",))


def _lateness(node: Node, name: str, age: timedelta) -> Readiness:
    metadata = node.contract.model.metadata
    limits = node.contract.model.upstream_freshness
    limit = limits.get(name) or limits.get(_DEFAULT) or FreshnessLimit()
    if limit.max_age is None or age <= (fresh := parse_duration(limit.max_age)):
        return Readiness()
    hours = metadata.upstream_grace_hours
    grace = parse_duration(limit.grace) if limit.grace else timedelta(hours=hours or 0)
    told = f"upstream '{name}' succeeded {_told(age)} ago, and max_age is {limit.max_age}"
    if age <= fresh + grace:
        return Readiness(warnings=(f"{told}: within its grace",))
    if metadata.upstream_policy == "warn":
        return _tolerated(told)
    return Readiness(told)


def _told(age: timedelta) -> str:
    minutes = round(age.total_seconds() / 60)
    return f"{minutes} min" if minutes < 120 else f"{minutes // 60} h"
