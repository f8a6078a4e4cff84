"""An input of which only some rows are read; what bounds them is pinned when the run begins."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from decimal import Decimal
from typing import Any

from sqlglot import exp

from lakelogic.contract import LoadedContract
from lakelogic.engines.base import Engine
from lakelogic.engines.opening import engines
from lakelogic.errors import ContractError, SourceError
from lakelogic.plan.model import ReadPlan, TablePlan
from lakelogic.plan.rows import RowWindow, Slice, among, comparable, highest, is_ordered, measuring
from lakelogic.run.inputs import Input
from lakelogic.sources.read import TableToRead
from lakelogic.sql.annotate import SOURCE
from lakelogic.sql.build import all_of, is_number, ref
from lakelogic.sql.types import Column, Columns, parse_type
from lakelogic.state.claims import Pinned


@dataclass(frozen=True)
class Rows:
    """Which rows of an input are wanted; `above` names a table whose highest value bounds the window below."""

    window: RowWindow | None = None
    part: Slice | None = None
    values: Mapping[str, tuple[object, ...]] = field(default_factory=dict)
    above: TablePlan | None = None

    def __bool__(self) -> bool:
        return bool(self.window or self.part or self.values)


@dataclass(frozen=True)
class RowsInput:
    """Another input, narrowed to some of its rows."""

    inner: Input
    loaded: LoadedContract
    wanted: Rows
    read: ReadPlan
    is_empty: bool = False
    rows: int | None = None

    @staticmethod
    def of(inner: Input, loaded: LoadedContract, wanted: Rows) -> Input:
        """The input itself, where all of its rows are wanted."""
        if not wanted:
            return inner
        filters = (("partition_filters", json.dumps(wanted.values, default=str)),) if wanted.values else ()
        read = replace(inner.read, options=(*inner.read.options, *filters))
        return RowsInput(inner, loaded, wanted, read, is_empty=inner.is_empty)

    @property
    def pinned(self) -> Pinned:
        return replace(self.inner.pinned, rows=self.wanted.window, slice=self.wanted.part)

    @property
    def columns(self) -> Columns:
        return self.inner.columns

    @property
    def newest_ns(self) -> int | None:
        return self.inner.newest_ns

    def guessed(self) -> Columns | None:
        return self.inner.guessed()

    def known(self) -> RowsInput | None:
        return None

    def everything(self) -> RowsInput:
        return replace(self, inner=self.inner.everything(), is_empty=False)

    def shaped(self, engine: Engine[Any]) -> RowsInput:
        """The same with its columns, and with both ends of the window."""
        inner = self.inner.shaped(engine)
        described = replace(self.read, format=inner.read.format, columns=inner.read.columns)
        shaped = replace(self, inner=inner, read=described)
        window = self.wanted.window
        if inner.is_empty or window is None or window.high is not None:
            return replace(shaped, is_empty=inner.is_empty)
        return shaped._measured(window, engine)

    def frame(self, engine: Engine[Any]) -> Any:
        if not self.wanted:
            return self.inner.frame(engine)
        wanted = exp.select(*(ref(column) for column in self.columns)).from_(SOURCE).where(self._condition())
        return engine.select(self._render(wanted, self.columns, engine), {"source": self.inner.frame(engine)})

    def rows_before(self, engine: Engine[Any]) -> int | None:
        return None

    def _measured(self, window: RowWindow, engine: Engine[Any]) -> RowsInput:
        """Both ends of the window, as the rows that are there now tell them.

        Raises:
            SourceError: a row has no value, so that nobody can tell whether it is new.
        """
        column = self._column(window.column)
        value, data_type = comparable(column, self._declared(column.name))
        if not is_ordered(data_type):
            raise ContractError(
                f"watermark_field '{window.column}' has a type whose values have no order.",
                cure="Name a column of dates, times, numbers or text.",
            )
        window = self._above_target(window, engine)
        rows = replace(self, wanted=Rows(values=self.wanted.values)).frame(engine)
        found = engine.measure(
            self._render(measuring(window, value, data_type), self.columns, engine), {"source": rows}
        )
        if missing := int(str(found["missing"])):
            raise SourceError(
                f"{missing} rows of {self.read.location} have no {window.column}, so it can't be told whether they are new.",
                cure="Fill it where the rows come from, or use watermark_strategy pipeline_log (files) or delta_version.",
            )
        high = found["high"] if found["high"] is not None else window.low
        ended = replace(window, high=str(high) if high is not None else None)
        reason = f"{self.read.reason}: {ended if int(str(found['rows'])) else f'no {window}'}"
        wanted = replace(self.wanted, window=ended)
        return replace(self, wanted=wanted, read=replace(self.read, reason=reason), is_empty=not found["rows"])

    def _above_target(self, window: RowWindow, engine: Engine[Any]) -> RowWindow:
        """The window above what the target holds, or above what was read where that is higher."""
        table = self.wanted.above
        if table is None or not engine.has(table):
            return window
        found, columns = engine.table_columns(TableToRead(table.location, table.is_name, format=table.format))
        if (column := columns.find(window.column)) is None:
            raise ContractError(
                f"the target {table.location} has no column '{window.column}', so max_target has nothing to go by.",
                cure="Name a watermark_field that the target keeps.",
            )
        sql = self._render(highest(column), columns, engine)
        reached = engine.measure(sql, {"source": engine.read_table(found)})["high"]
        return window if reached is None else replace(window, low=_higher(str(reached), window.low, column))

    def _condition(self) -> exp.Expr:
        parts = [among(self._column(name), values) for name, values in self.wanted.values.items()]
        for chosen in (self.wanted.window, self.wanted.part):
            if chosen is not None and chosen.column is not None:
                column = self._column(chosen.column)
                parts.append(chosen.condition(*comparable(column, self._declared(column.name))))
        return all_of(*parts)

    def _column(self, name: str) -> Column:
        return self.columns.visible.get(name)

    def _declared(self, name: str) -> exp.DataType | None:
        fields = self.loaded.model.model.fields
        return next((parse_type(item.type) for item in fields if item.type and item.name.lower() == name.lower()), None)

    def _render(self, tree: exp.Select, columns: Columns, engine: Engine[Any]) -> str:
        return engines.get(engine.name).render(tree, columns, {})


def _higher(one: str, other: str | None, column: Column) -> str:
    """The higher of two values that were written as text by the same rules."""
    if other is None:
        return one
    return max(one, other, key=Decimal if is_number(column.type) else str)
