"""What a write strategy is: a name in contracts that lowers to one operation on a table."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from typing import ClassVar

from sqlglot import exp

from lakelogic.registry import Registry
from lakelogic.sql.types import Columns
from lakelogic.write.operations import Operation
from lakelogic.write.options import Cdc, Dimension, History, Reconcile, SoftDelete

strategies: Registry[type[Strategy]] = Registry("strategy", "lakelogic.write", "strategies")


@dataclass(frozen=True)
class Rows:
    """What is known of the rows to write: their keys, and the columns by which a changed row is told from another.

    `compare` is None where a change can't be told; `insert_only` columns are set by a row's first write alone, and
    `stamps` tell where a row came from. What follows is what the contract says of this strategy.
    """

    keys: tuple[str, ...] = ()
    compare: tuple[str, ...] | None = None
    insert_only: tuple[str, ...] = ()
    columns: Columns = field(default_factory=Columns)
    stamps: tuple[str, ...] = ()
    partition_by: tuple[str, ...] = ()
    replace_where: str | None = None
    cdc: Cdc | None = None
    soft_delete: SoftDelete | None = None
    reconcile: Reconcile | None = None
    dimension: Dimension | None = None
    history: History | None = None

    @property
    def kept(self) -> Columns:
        """The columns that are stored; the kind of a captured change is no value of the row."""
        return self.columns.without([self.cdc.op] if self.cdc and self.cdc.op else ())


@dataclass(frozen=True)
class Changes:
    """How the rows to merge follow from the batch and from what the table holds.

    SELECTs over `source` (the batch), `target` (the table) and `deleted` (the deletes that were seen before). `shape` has
    the columns of the table and no rows, for one that is not there yet.
    """

    shape: exp.Query
    rows: exp.Query
    deletes: exp.Query | None = None
    share_gone: exp.Query | None = None
    max_share_gone: float = 1.0


@dataclass(frozen=True)
class Lowered:
    """A strategy as data: the operation, the rows as it stores them where it adds columns, and what is to be merged."""

    operation: Operation
    stored: exp.Query | None = None
    changes: Changes | None = None


class Strategy(ABC):
    """A way of writing rows into a table."""

    needs_key: ClassVar[bool] = False
    keeps_history: ClassVar[bool] = False

    @abstractmethod
    def operation(self, rows: Rows) -> Operation:
        """The operation that writes these rows."""

    def lower(self, rows: Rows) -> Lowered:
        """The operation, and all that must happen before it."""
        return Lowered(self.operation(rows))
