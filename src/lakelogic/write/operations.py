"""What can be done to a table, as data: an engine applies it in one commit."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Operation:
    """A change of a table. `unique_by` are columns whose values must be there, each once, before the change."""

    unique_by: tuple[str, ...] = ()

    @property
    def each_once(self) -> bool:
        """Whether a repeated key is refused."""
        return bool(self.unique_by)

    @property
    def reads_rows_twice(self) -> bool:
        """Whether the engine goes over the new rows more than once."""
        return False

    def for_some_rows(self) -> Operation:
        """The same change where the rows are not a whole batch: what is there and not among them stays."""
        return self


@dataclass(frozen=True)
class AppendRows(Operation):
    """New rows are added."""


@dataclass(frozen=True)
class ReplaceRows(Operation):
    """New rows take the place of all others."""

    def for_some_rows(self) -> AppendRows:
        return AppendRows()


@dataclass(frozen=True)
class ReplaceSlices(Operation):
    """New rows take the place of the rows that lie in the same slices; all others stay.

    The slices are those of the batch, by its values in `columns`, or the rows of which `where` is true: Spark SQL that
    compares columns with literals.
    """

    columns: tuple[str, ...] = ()
    where: str | None = None

    def for_some_rows(self) -> AppendRows:
        return AppendRows()


@dataclass(frozen=True)
class MergeRows(Operation):
    """Rows whose key is there are updated where they differ in `compare`, the others are inserted.

    Without `compare` it can't be told whether a row differs, and every match is updated. `gone` is a column of the
    batch, not of the table: a row in which it is true takes the one with its key out of the table. With `may_repeat`
    the batch may hold several rows of a key; what is merged is worked out of them before.
    """

    keys: tuple[str, ...] = ()
    compare: tuple[str, ...] | None = None
    insert_only: tuple[str, ...] = ()
    gone: str | None = None
    may_repeat: bool = False

    @property
    def each_once(self) -> bool:
        return not self.may_repeat

    @property
    def reads_rows_twice(self) -> bool:
        return True
