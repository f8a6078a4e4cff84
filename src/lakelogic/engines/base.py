"""What every engine does for a run. The engines themselves are the only place that names one."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, TypeVar

from lakelogic.plan.ddl import Alteration, TableState
from lakelogic.plan.model import TablePlan
from lakelogic.sources.read import FilesToRead, TableToRead
from lakelogic.sql.types import Columns

Frame = TypeVar("Frame")


@dataclass(frozen=True)
class Capabilities:
    """What an engine can do; asked in place of its name."""

    observe: bool = True


@dataclass(frozen=True)
class Tasks:
    """How far an engine is with the work under way."""

    done: int
    total: int


@dataclass(frozen=True)
class Stamp:
    """Who writes: put into the commit, so that a repeated write is recognised and found again."""

    app_id: str
    sequence: int
    run_id: str
    fingerprint: str
    input_digest: str


@dataclass(frozen=True)
class Committed:
    """What a table says of a commit, read back from it. A count that it does not tell is None."""

    location: str
    version: int | None
    rows: int | None
    inserted: int | None = None
    updated: int | None = None
    deleted: int | None = None
    operation: str = ""


@dataclass(frozen=True)
class Shared:
    """Rows that several runs use, and how to let go of them."""

    rows: Any
    release: Callable[[], object]


class Engine(Protocol[Frame]):
    """Reads, selects, measures and writes frames of its own kind."""

    name: str
    can: Capabilities

    def files_columns(self, wanted: FilesToRead) -> FilesToRead:
        """Fill in columns that only the engine can find out, such as those of JSON."""

    def table_columns(self, wanted: TableToRead) -> tuple[TableToRead, Columns]:
        """Pin a table to its version and tell its columns; where only changes are wanted, find out how to read them."""

    def frame_columns(self, frame: Frame) -> Columns:
        """The columns of a frame that was handed in."""

    def read_files(self, wanted: FilesToRead) -> Frame: ...

    def read_table(self, wanted: TableToRead) -> Frame: ...

    def adopt(self, frame: Frame) -> Frame:
        """A frame that was handed in, for use in this run."""

    def handed(self, frame: Frame) -> object:
        """A frame as the caller of a run gets it."""

    def select(self, sql: str, relations: Mapping[str, Frame]) -> Frame:
        """A SELECT over named frames."""

    def measure(self, sql: str, relations: Mapping[str, Frame]) -> Mapping[str, object]:
        """The one row that an aggregate yields."""

    def rows(self, sql: str, relations: Mapping[str, Frame], limit: int) -> Sequence[Mapping[str, object]]:
        """A few rows, for a person to look at."""

    def head(self, frame: Frame, limit: int) -> Sequence[Mapping[str, object]]:
        """The first rows of a frame."""

    def texts(self, columns: Mapping[str, Sequence[str | None]]) -> Frame:
        """Columns of text as a frame."""

    def keys(self, secrets: Mapping[str, bytes]) -> Frame:
        """Key material as a relation of one row."""

    def broadcast(self, frame: Frame) -> Frame:
        """The same frame, known to be small enough to be sent to every worker."""

    def union(self, frames: Sequence[Frame]) -> Frame: ...

    def without(self, frame: Frame, columns: Sequence[str]) -> Frame:
        """The frame without some columns."""

    def observe(self, frame: Frame, name: str, metrics: Mapping[str, str]) -> Frame:
        """The same frame; what its rows add up to is known once they were written."""

    def tally(self, frame: Frame, name: str, column: str, values: Sequence[str], shown: Sequence[str]) -> Frame:
        """The same frame, observed: `rows`, in `counts` how many of them hold each value in a list, as JSON, and as
        `one0` a row that holds the first value, as JSON of the columns to show.
        """

    def observed(self, name: str) -> Mapping[str, object] | None:
        """What was observed, or None where it is not known."""

    def gather(self, frame: Frame) -> Frame:
        """The same frame, of few rows out of many, ready for costly expressions."""

    def hold(self, frame: Frame) -> Frame:
        """The same frame, computed once for several uses."""

    def share(self, frame: Frame) -> Shared:
        """The rows of a frame, computed once for engines of this kind in the same process."""

    def take(self, shared: Shared) -> Frame:
        """Rows that another engine of this kind has shared."""

    def write(self, table: TablePlan, frame: Frame, stamp: Stamp) -> Committed: ...

    def has(self, table: TablePlan) -> bool:
        """Whether a table of ours is there."""

    def find_commit(self, table: TablePlan, run_id: str) -> Committed | None:
        """The commit of a run in a table, if there is one."""

    def delete(self, table: TablePlan, column: str, value: str) -> None:
        """Take the rows out of a table whose column has this value."""

    def describe(self, table: TablePlan) -> TableState | None:
        """A table as it is now; None where there is none."""

    def alter(self, table: TablePlan, wanted: Alteration) -> None:
        """Create a table, or change its columns and settings, without rows."""

    def tidy(self, table: TablePlan) -> None:
        """Join small files and remove those that are out of use, as the plan says."""

    def undo(self, table: TablePlan, run_id: str) -> None:
        """Leave a table as it was before a run's commit, which must be its newest."""

    def last_sequence(self, table: TablePlan, app_id: str) -> int:
        """The highest sequence number that a table has recorded for a writer."""

    def read_back(self, table: TablePlan, version: int | None) -> Frame:
        """A table of ours as a commit left it."""

    def interrupt(self) -> None:
        """Cancel what is under way, from another thread; it then raises."""

    def close(self) -> None:
        """Let go of what the run held."""
