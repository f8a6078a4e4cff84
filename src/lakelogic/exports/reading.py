"""The table of a contract as it is now, ready to be sent: its version, its columns, its rows in batches."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from sqlglot import exp

from lakelogic.contract import LoadedContract
from lakelogic.engines.base import Engine
from lakelogic.engines.opening import EngineSettings, engines, light_engine, open_engine
from lakelogic.errors import SourceError, first_line
from lakelogic.exports.base import ExportError, NothingToExport, Rows
from lakelogic.plan.tables import target_of
from lakelogic.sources.read import TableToRead
from lakelogic.sql.build import call, ref
from lakelogic.sql.types import Columns, is_nested
from lakelogic.transforms.base import SOURCE, named

if TYPE_CHECKING:
    import pyarrow as pa


@dataclass(frozen=True)
class Stored:
    """A table at a version, open in an engine that starts at once."""

    engine: Engine[Any]
    pinned: TableToRead
    columns: Columns
    frame: Any

    def count(self) -> int:
        """How many rows it has."""
        return self._measured(exp.select(named("n", _count())).from_(SOURCE))

    def refuse_keys(self, keys: tuple[str, ...]) -> None:
        """
        Raises:
            UnknownColumn: the table has no such column.
            ExportError: the keys do not tell the rows apart.
        """
        names = [ref(self.columns.get(key)) for key in keys]
        groups = exp.select(named("n", _count())).from_(SOURCE).group_by(*names)
        twice = groups.having(exp.GT(this=_count(), expression=exp.Literal.number(1))).subquery("twice")
        empty = exp.select(named("n", _count())).from_(SOURCE).where(exp.or_(*(name.is_(exp.null()) for name in names)))
        told = ", ".join(keys)
        cure = "Set keys of the export to columns that identify a row, or mode: replace."
        if rows := self._measured(empty):
            raise ExportError(f"{rows} rows have no value in the key {told}.", cure=cure)
        if rows := self._measured(exp.select(named("n", _count())).from_(twice)):
            raise ExportError(f"{rows} values of the key {told} are there more than once.", cure=cure)

    def rows(self, columns: Columns, order_by: tuple[str, ...] | None) -> Rows:
        """All rows with some columns; in an order that is the same each time, where one is wanted."""
        select = exp.select(*(ref(column) for column in columns)).from_(SOURCE)
        if order_by is not None:
            chosen = [columns.get(name) for name in order_by] or [c for c in columns if not is_nested(c.type)]
            select = select.order_by(*(ref(column) for column in chosen))
        return Rows(lambda: self._batches(select))

    def _batches(self, select: exp.Select) -> Iterator[pa.RecordBatch]:
        import pyarrow as pa

        frame = self.engine.select(self._rendered(select), {"source": self.frame})
        try:
            yield from pa.RecordBatchReader.from_stream(self.engine.handed(frame))
        except (pa.ArrowException, OSError) as error:
            said = first_line(error).rstrip(".")
            raise ExportError(f"{self.pinned.location} can't be read: {said}.", cure="Export again.") from None

    def _measured(self, select: exp.Select) -> int:
        return int(str(self.engine.measure(self._rendered(select), {"source": self.frame})["n"]))

    def _rendered(self, select: exp.Select) -> str:
        return engines.get(self.engine.name).render(select, self.columns, {})


@contextmanager
def opened(loaded: LoadedContract) -> Iterator[Stored]:
    """The table that the contract writes.

    Raises:
        NothingToExport: there is none yet, or it can't be read without Spark.
    """
    where, project = target_of(loaded), loaded.project
    settings = EngineSettings(light_engine(), spark=project.spark, warehouse=project.root / "warehouse")
    engine = open_engine(settings, lambda _: None)
    try:
        wanted = TableToRead(where.text, where.is_name, format=loaded.model.materialization.format)
        try:
            pinned, columns = engine.table_columns(wanted)
            frame = engine.read_table(pinned)
        except SourceError as error:
            raise NothingToExport(
                f"there is nothing to export: {error.message}", cure="Run the contract first."
            ) from None
        yield Stored(engine, pinned, columns, frame)
    finally:
        engine.close()


def _count() -> exp.Expr:
    return call("COUNT", exp.Literal.number(1))
