"""What can be done to a table, as data: an engine applies it in one commit."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Operation:
    """A change of a table. `unique_by` are columns whose values must be there, each once, before the change."""

    unique_by: tuple[str, ...] = ()

    @property
    def reads_rows_twice(self) -> bool:
        """Whether the engine goes over the new rows more than once."""
        return False


@dataclass(frozen=True)
class AppendRows(Operation):
    """New rows are added."""


@dataclass(frozen=True)
class ReplaceRows(Operation):
    """New rows take the place of all others."""


@dataclass(frozen=True)
class MergeRows(Operation):
    """Rows whose key is there are updated where they differ in `compare`, the others are inserted.

    Without `compare` it can't be told whether a row differs, and every match is updated.
    """

    keys: tuple[str, ...] = ()
    compare: tuple[str, ...] | None = None
    insert_only: tuple[str, ...] = ()

    @property
    def reads_rows_twice(self) -> bool:
        return True
