"""What a write strategy is: a name in contracts that lowers to one operation on a table."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import ClassVar

from lakelogic.registry import Registry
from lakelogic.write.operations import Operation

strategies: Registry[type[Strategy]] = Registry("strategy", "lakelogic.write", "strategies")


@dataclass(frozen=True)
class Rows:
    """What is known of the rows to write: their keys, and the columns by which a changed row is told from another.

    `compare` is None where a change can't be told; `insert_only` columns are set by a row's first write alone.
    """

    keys: tuple[str, ...] = ()
    compare: tuple[str, ...] | None = None
    insert_only: tuple[str, ...] = ()


class Strategy(ABC):
    """A way of writing rows into a table."""

    needs_key: ClassVar[bool] = False

    @abstractmethod
    def operation(self, rows: Rows) -> Operation:
        """The operation that writes these rows."""
