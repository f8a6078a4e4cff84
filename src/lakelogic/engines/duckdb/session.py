"""The DuckDB connection of a run: frames are SQL in it, so that a chain of them is one query."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING

from lakelogic.engines.duckdb.streams import Stream
from lakelogic.errors import LakeLogicError
from lakelogic.sql.duckdb.macros import Macros
from lakelogic.sql.duckdb.types import quoted, text

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection, DuckDBPyRelation

# How DuckDB itself calls a type that has a shorter name.
_SHORT = {"TIMESTAMPTZ": "TIMESTAMP WITH TIME ZONE"}
# A list in a rule would become a join, and what comes after the rule would be computed before it.
_UNWANTED = "in_clause"
# It goes over all columns for each column: of 10,000 it makes hours. Such a query has this many characters.
_TOO_SLOW, _LONG = "projection_placement", 200_000
MEMORY = "LAKELOGIC_DUCKDB_MEMORY"
TEMPORARY = "LAKELOGIC_DUCKDB_TEMP"


@dataclass(frozen=True)
class Frame:
    """Rows that are not computed yet: a SELECT over other frames, or something that has a name already."""

    name: str
    select: str | None = None
    over: tuple[Frame, ...] = ()

    @property
    def sql(self) -> str:
        """The whole chain as one query."""
        # Materialised, a relation that is named twice would have to fit into memory.
        named = [f"{frame.name} AS NOT MATERIALIZED ({frame.select})" for frame in self._chain() if frame.select]
        return f"WITH {', '.join(named)} FROM {self.name}" if named else f"FROM {self.name}"

    def _chain(self) -> list[Frame]:
        """Every frame that this one stands on, and itself at the end."""
        found: dict[str, Frame] = {}
        for frame in (*(each for parent in self.over for each in parent._chain()), self):
            found.setdefault(frame.name, frame)
        return list(found.values())


class Session:
    """A connection of its own, with UTC as its time zone and nothing fetched from elsewhere."""

    def __init__(self) -> None:
        self.connection = _connect()
        self._macros = Macros(self.connection)
        self._numbers = count()
        self._streams: list[Stream] = []

    def select(self, sql: str, relations: Mapping[str, Frame] | None = None) -> Frame:
        """A SELECT over named frames, as a frame."""
        over = relations or {}
        named = [f"{quoted(name)} AS NOT MATERIALIZED (FROM {frame.name})" for name, frame in over.items()]
        select = f"WITH {', '.join(named)} SELECT * FROM ({sql})" if named else sql
        return Frame(f"_ll_frame_{next(self._numbers)}", select, tuple(over.values()))

    def stream(self, stream: Stream) -> Frame:
        """Batches as a frame."""
        self._streams.append(stream)
        return self.register(stream)

    def register(self, data: object) -> Frame:
        """Anything that speaks Arrow as a frame."""
        frame = Frame(f"_ll_data_{next(self._numbers)}")
        self.connection.register(frame.name, data)
        return frame

    def own(self, data: object) -> Frame | None:
        """A relation that was made of one of ours; a query can't read it in any other way than by name."""
        from duckdb import DuckDBPyRelation, InvalidInputException

        if not isinstance(data, DuckDBPyRelation):
            return None
        try:
            self.connection.sql("SELECT 1 AS _ll_ours").cross(data)
        except InvalidInputException:
            # It belongs to another connection.
            return None
        frame = Frame(f"_ll_view_{next(self._numbers)}")
        data.create_view(frame.name)
        return frame

    def hold(self, frame: Frame) -> Frame:
        """The rows of a frame, computed now; what does not fit into memory goes to disk."""
        held = Frame(f"_ll_held_{next(self._numbers)}")
        self.connection.execute(f"CREATE TEMP TABLE {held.name} AS {self._runnable(frame)}")
        return held

    def rows(self, frame: Frame, limit: int) -> list[dict[str, object]]:
        """The first rows of a frame, as values of Python."""
        found = self.connection.execute(f"SELECT * FROM ({self._runnable(frame)}) LIMIT {limit}")
        names = [column[0] for column in found.description]
        return [dict(zip(names, row, strict=True)) for row in found.fetchall()]

    def copy(self, frame: Frame, place: str, options: str) -> None:
        """Write the rows of a frame to files."""
        # A result that nobody fetches keeps the connection busy.
        self.connection.execute(f"COPY ({self._runnable(frame)}) TO {text(place)} ({options})").fetchall()

    def types(self, relation: str) -> dict[str, str]:
        """The columns of something that stands after FROM, with DuckDB's types."""
        return {name: kind for name, kind, *_ in self.connection.execute(f"DESCRIBE FROM {relation}").fetchall()}

    def relation(self, frame: Frame) -> DuckDBPyRelation:
        return self.connection.sql(self._runnable(frame))

    def columns(self, frame: Frame) -> list[str]:
        return list(self.relation(frame).columns)

    def _runnable(self, frame: Frame) -> str:
        """The query of a frame; the connection has what it calls."""
        sql = frame.sql
        if len(sql) > _LONG:
            self.connection.execute(f"SET disabled_optimizers = '{_UNWANTED},{_TOO_SLOW}'")
        return self._macros.provide(sql)

    @contextmanager
    def told(self, make: Callable[[Exception], LakeLogicError]) -> Iterator[None]:
        """Errors of the libraries inside become one of ours; what a source said itself comes first."""
        from deltalake.exceptions import DeltaError
        from duckdb import Error
        from pyarrow import ArrowException

        try:
            yield
        except LakeLogicError:
            raise
        except (Error, DeltaError, ArrowException, OSError, ValueError) as error:
            failed = next((stream.failure for stream in self._streams if stream.failure), None)
            raise (failed or make(error)) from error


def converted(name: str, found: str | None, wanted: str) -> str:
    """A column with the type that is wanted; it has the one that was found, or is not there."""
    if found is None:
        return f"CAST(NULL AS {wanted})"
    if (found, wanted) == ("TIMESTAMP", "TIMESTAMPTZ"):
        # A cast goes through the calendar of the time zone, which is UTC.
        return f"make_timestamptz(epoch_us({quoted(name)}))"
    # A cast to the same type still keeps conditions on the column from reaching its file.
    return quoted(name) if found == _SHORT.get(wanted, wanted) else f"CAST({quoted(name)} AS {wanted})"


def _connect() -> DuckDBPyConnection:
    import duckdb

    settings: dict[str, str | bool | int | float | list[str]] = {
        "temp_directory": os.environ.get(TEMPORARY) or str(Path(tempfile.gettempdir()) / f"lakelogic-{os.getpid()}"),
        # The order of rows means nothing in a table, and keeping it takes memory.
        "preserve_insertion_order": False,
        "autoinstall_known_extensions": False,
        "autoload_known_extensions": False,
        "disabled_optimizers": _UNWANTED,
        # Names in contract SQL must never turn into variables of the caller.
        "python_enable_replacements": False,
    }
    if limit := os.environ.get(MEMORY):
        settings["memory_limit"] = limit
    connection = duckdb.connect(":memory:", config=settings)
    # Its own bar would be drawn among what a run prints. A notebook that can't draw one can't switch it off either.
    with suppress(duckdb.InvalidInputException):
        connection.execute("SET enable_progress_bar = false")
    return connection
