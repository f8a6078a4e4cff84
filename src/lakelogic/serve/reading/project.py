"""A project as it is now: its contracts and the order of them, loaded again when a file has changed."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from threading import Lock

from lakelogic.contract.yaml_cache import YamlCache, remembered
from lakelogic.driver.graph import Graph, build_graph
from lakelogic.driver.nodes import Node, Selection, open_lakehouse
from lakelogic.errors import LakeLogicError, did_you_mean
from lakelogic.project import Project, find_project
from lakelogic.serve.answers import NotFound
from lakelogic.serve.reading.remembering import Remembered, Stamp, stamp_of
from lakelogic.serve.reading.runs import Runs

# What fills a project's tables for the first time.
FIRST_RUN = "lakelogic-driver ."
# How long contracts are taken to be as they were.
_SECONDS = 1.0


@dataclass(frozen=True)
class Contracts:
    """The contracts of a project; `broken` are those that can't be loaded, `problem` says why there are none."""

    graph: Graph = field(default_factory=lambda: Graph({}, {}))
    broken: Mapping[Path, LakeLogicError] = field(default_factory=dict)
    problem: LakeLogicError | None = None
    stamp: Stamp = ()

    def __iter__(self) -> Iterator[Node]:
        return (self.graph.nodes[name] for name in self.graph.order)

    def node(self, name: str) -> Node:
        """
        Raises:
            NotFound: there is no such contract.
        """
        if (found := self.graph.nodes.get(name)) is None:
            raise NotFound(f"contract '{name}' is unknown.", cure=did_you_mean(name, self.graph.nodes))
        return found

    @cached_property
    def layers(self) -> Mapping[str, tuple[Node, ...]]:
        """The contracts of every layer, upstream ones first."""
        found: dict[str, tuple[Node, ...]] = {}
        for node in self:
            if node.layer:
                found[node.layer] = (*found.get(node.layer, ()), node)
        return found

    def downstream(self, name: str) -> dict[str, str]:
        """The contracts that need one, and why."""
        return {each: needs[name] for each, needs in self.graph.upstreams.items() if name in needs}

    @cached_property
    def states(self) -> tuple[Path, ...]:
        """The folders in which the contracts keep their state."""
        return tuple(dict.fromkeys(node.contract.project.state_dir for node in self))

    @cached_property
    def files(self) -> tuple[Path, ...]:
        """Every file that had a say, and the folders in which a new one would appear."""
        files = {Path(file).absolute() for node in self.graph.nodes.values() for file in node.contract.roles}
        files |= {Path(node.place.file).absolute() for node in self.graph.nodes.values()}
        files |= {path.absolute() for path in self.broken}
        return tuple(sorted(files | {file.parent for file in files}))


class Served:
    """The project that a server is about. Its parts are asked at the time of a request, and never by a path of one."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder.resolve()
        self.tables = Remembered(64)
        self.answers = Remembered(64)
        self.documents = Remembered(64)
        self._lock = Lock()
        self._contracts: Contracts | None = None
        self._yaml: YamlCache | None = None
        self._checked = 0.0
        self._runs = Runs(())

    @property
    def project(self) -> Project:
        return find_project(self.folder)

    @property
    def service(self) -> str:
        """What the project is called."""
        return self.project.service

    @property
    def contracts(self) -> Contracts:
        """The contracts as their files are now."""
        with self._lock:
            now = time.monotonic()
            if self._contracts is None or now - self._checked > _SECONDS:
                if self._contracts is None or self._contracts.stamp != self._stamp(self._contracts):
                    self._contracts = self._loaded()
                self._checked = now
            return self._contracts

    @property
    def runs(self) -> Runs:
        """The runs of all contracts."""
        folders = self.contracts.states or (self.project.state_dir,)
        if folders != self._runs.folders:
            self._runs = Runs(folders)
        return self._runs

    @property
    def stamp(self) -> Stamp:
        """Changes whenever a contract is changed or a run is logged."""
        return (self.contracts.stamp, self.runs.stamp)

    @property
    def minute(self) -> Stamp:
        """Changes as `stamp` does, and every minute: for what tells how long ago something was."""
        return (*self.stamp, int(time.time() // 60))

    def shown(self, path: Path | None) -> str:
        """A file as it is called from the project's folder."""
        found = (path or Path()).absolute()
        return found.relative_to(self.folder).as_posix() if found.is_relative_to(self.folder) else str(path)

    def _loaded(self) -> Contracts:
        try:
            cache = self.project.state_dir / "cache" / "contracts.json"
            # When one of many contracts has changed, the others need not be parsed again.
            with remembered(cache, save=False, before=self._yaml) as self._yaml:
                lakehouse = open_lakehouse(Selection(paths=(self.folder,), continue_on_error=True))
            found = Contracts(build_graph(lakehouse.nodes), lakehouse.broken)
        except LakeLogicError as error:
            return Contracts(problem=error, stamp=(time.monotonic(),))
        return replace(found, stamp=self._stamp(found))

    def _stamp(self, contracts: Contracts) -> Stamp:
        project = self.project.file
        return stamp_of((self.folder, *((project,) if project else ()), *contracts.files))
