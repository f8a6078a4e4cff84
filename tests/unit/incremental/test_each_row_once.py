"""Whatever arrives between runs and wherever a process dies, each row is read once.

A run is told without an engine: it chooses its input, claims it, writes to a target that knows numbers, and records.
"""

from __future__ import annotations

import os
from collections import Counter
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory

from hypothesis import given, settings
from hypothesis import strategies as st

from lakelogic.contract import LoadedContract
from lakelogic.run.begin import Ask, Beginning
from lakelogic.sources.watermarks.base import Asked
from lakelogic.sources.watermarks.watermark_field import WatermarkField
from lakelogic.state.claims import Claim, Claims, Pinned
from lakelogic.state.past import RunsBefore
from tests.unit.contract.builders import contract

_POINTS = ("chosen", "claimed", "written", "never")


class _Died(BaseException):
    """The process is gone."""


@dataclass
class _Target:
    """Takes a write once for a number, as a table with application transactions does."""

    rows: list[str] = field(default_factory=list)
    last: int = 0

    def write(self, sequence: int, rows: list[str]) -> None:
        if sequence > self.last:
            self.rows += rows
            self.last = sequence


@dataclass
class _Runs:
    """Runs of one contract, each a new process."""

    folder: Path
    target: _Target

    def attempt(self, dies: str) -> None:
        """A process that dies where it is told, or comes to its end."""
        with suppress(_Died):
            self._run(dies)

    def _run(self, dies: str) -> None:
        claims = Claims(self.folder / "state")
        left = claims.unfinished()
        if left is not None:
            held = claims.hold(left)
            if self.target.last >= held.sequence or self.has_still(claims, held.input):
                self._finish(claims, held, dies)
            else:
                claims.finish(held, "given_up")
        pinned = self.choose(claims)
        self._die_at("chosen", dies)
        if pinned is not None:
            number = claims.last() + 1
            now, run = datetime.now(UTC), f"r{number}"
            claim = Claim(number, run, run, now, "plan", "contract", "new", "incremental", pinned, previous=number - 1)
            self._finish(claims, claims.create(claim), dies)

    def _finish(self, claims: Claims, claim: Claim, dies: str) -> None:
        with claims.at_work(claim):
            self._die_at("claimed", dies)
            self.target.write(claim.sequence, self.read(claim.input))
            self._die_at("written", dies)
            claims.finish(claim, "succeeded")

    def _die_at(self, point: str, dies: str) -> None:
        if point == dies:
            raise _Died

    def choose(self, claims: Claims) -> Pinned | None:
        raise NotImplementedError

    def has_still(self, claims: Claims, pinned: Pinned) -> bool:
        return True

    def read(self, pinned: Pinned) -> list[str]:
        raise NotImplementedError


@dataclass
class _FileRuns(_Runs):
    """By the contract's own beginning, from real files."""

    loaded: LoadedContract = field(default_factory=lambda: contract("source: {path: in/*.csv, load_mode: incremental}"))

    def choose(self, claims: Claims) -> Pinned | None:
        found = self._beginning(claims).input()
        return None if found.is_empty else found.pinned

    def has_still(self, claims: Claims, pinned: Pinned) -> bool:
        return self._beginning(claims).has_still(pinned)

    def _beginning(self, claims: Claims) -> Beginning:
        return Beginning(replace(self.loaded, directory=self.folder), Ask(), None, claims)

    def read(self, pinned: Pinned) -> list[str]:
        return [f"{Path(file.path).name}@{file.modified_ns}" for file in pinned.files]


@dataclass
class _RowRuns(_Runs):
    """By the values of a column, from a table that keeps its versions."""

    versions: list[list[int]] = field(default_factory=lambda: [[]])

    def choose(self, claims: Claims) -> Pinned | None:
        source = contract("source: {path: t, load_mode: incremental, watermark_field: at}").source
        assert source is not None
        window = WatermarkField().choose(Asked(source, None, RunsBefore(claims, "t"), Path())).rows
        assert window is not None
        here = [value for value in self.versions[-1] if window.low is None or value > int(window.low)]
        high = str(max(here)) if here else None
        pinned = Pinned("t", "table", version=len(self.versions) - 1, rows=replace(window, high=high))
        return pinned if here else None

    def read(self, pinned: Pinned) -> list[str]:
        window = pinned.rows
        assert window is not None and window.high is not None and pinned.version is not None
        low = int(window.low) if window.low is not None else -1
        return [str(value) for value in self.versions[pinned.version] if low < value <= int(window.high)]


arrivals = st.lists(
    st.tuples(st.lists(st.tuples(st.integers(0, 5), st.integers(1, 9)), max_size=4), st.sampled_from(_POINTS)),
    max_size=8,
)


@settings(max_examples=40, deadline=None)
@given(arrivals)
def test_each_version_of_each_file_is_read_once(story: list[tuple[list[tuple[int, int]], str]]) -> None:
    with TemporaryDirectory() as name:
        root = Path(name)
        (root / "in").mkdir()
        runs = _FileRuns(root, _Target())
        ever: set[str] = set()
        for files, point in story:
            for number, moment in files:
                path = root / "in" / f"{number}.csv"
                path.write_text("id\n1\n")
                os.utime(path, ns=(moment, moment))
            ever |= _versions(root / "in")
            runs.attempt(point)
        runs.attempt("never")
        read = Counter(runs.target.rows)
        assert _versions(root / "in") <= set(read) <= ever
        assert set(read.values()) <= {1}


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(st.lists(st.integers(1, 3), max_size=4), st.sampled_from(_POINTS)), max_size=8))
def test_each_row_of_a_growing_table_is_read_once(story: list[tuple[list[int], str]]) -> None:
    with TemporaryDirectory() as name:
        runs = _RowRuns(Path(name), _Target())
        newest = 0
        for steps, point in story:
            grown = list(runs.versions[-1])
            for step in steps:
                newest += step
                grown.append(newest)
            runs.versions.append(grown)
            runs.attempt(point)
        runs.attempt("never")
        assert sorted(runs.target.rows, key=int) == [str(value) for value in sorted(runs.versions[-1])]


def _versions(folder: Path) -> set[str]:
    return {f"{path.name}@{path.stat().st_mtime_ns}" for path in folder.iterdir()}
