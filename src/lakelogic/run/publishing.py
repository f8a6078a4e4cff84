"""Good rows on their way into the target: what is to be merged, what was deleted, then one commit."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from lakelogic.engines.base import Committed, Engine
from lakelogic.errors import GateClosed, WriteConflict
from lakelogic.plan.model import ChangesPlan, Plan, Role, TablePlan
from lakelogic.run.judging import Pin
from lakelogic.write.clauses import DELETE
from lakelogic.write.operations import ReplaceSlices

Write = Callable[[TablePlan, Any, Role], Committed]
_ATTEMPTS = 6


class Publisher:
    """Writes good rows as the target's strategy says."""

    def __init__(self, plan: Plan, engine: Engine[Any], pin: Pin, write: Write) -> None:
        self._target = _pinned(plan.target, pin)
        self._changes = plan.target.changes
        self._engine = engine
        self._pin = pin
        self._write = write

    def stop_on_deletes(self, published: Any) -> None:
        """Count the rows that a full batch would take out of the table, before anything is written.

        Raises:
            GateClosed: they are more than the contract allows.
        """
        changes = self._changes
        if changes is None or changes.share_gone is None:
            return
        relations = {"source": published, "target": self._table(self._target, changes.shape, published)}
        row = self._engine.measure(self._pin(changes.share_gone), relations)
        rows, gone = int(str(row["rows"])), int(str(row["gone"]))
        if gone > changes.max_share_gone * rows:
            raise GateClosed(
                f"{gone} of {rows} rows of {self._target.location} are not in the batch, and max_delete_ratio is "
                f"{changes.max_share_gone:g}.",
                cure="Nothing was written. Check that the source is complete, or raise deletion.max_delete_ratio.",
            )

    def publish(self, published: Any) -> Committed:
        """Write the rows, or what follows from them and from what the table holds; again if another was faster."""
        return patiently(lambda: self._publish(published))

    def copied(self, role: Role, table: TablePlan, published: Any) -> Committed:
        """Write the rows to a secondary target."""
        return patiently(lambda: self._write(table, self.shown(published), role))

    def _publish(self, published: Any) -> Committed:
        rows = published if self._changes is None else self._to_merge(self._changes, published)
        return self._write(self._target, rows, "target")

    def shown(self, published: Any) -> Any:
        """Good rows as the caller of a run gets them."""
        return self._engine.without(published, [DELETE]) if self._changes else published

    def _to_merge(self, changes: ChangesPlan, published: Any) -> Any:
        relations = {"source": published, "target": self._table(self._target, changes.shape, published)}
        if changes.deleted is not None and changes.deletes_shape is not None:
            self._remember_deletes(changes, changes.deleted, published)
            relations["deleted"] = self._table(changes.deleted, changes.deletes_shape, published)
        return self._engine.select(self._pin(changes.rows), relations)

    def _remember_deletes(self, changes: ChangesPlan, deleted: TablePlan, published: Any) -> None:
        """Before the target forgets a row: an older change of it that comes later must not bring it back."""
        deletes = self._engine.select(self._pin(changes.deletes or ""), {"source": published})
        if self._engine.measure("SELECT count(1) AS rows FROM source", {"source": deletes})["rows"]:
            self._write(deleted, deletes, "deleted")

    def _table(self, table: TablePlan, shape: str, published: Any) -> Any:
        """A table as it is, with every column that it is going to have; none of its rows where it is not there."""
        empty = self._engine.select(self._pin(shape), {"source": published})
        if not self._engine.has(table):
            return empty
        return self._engine.union([empty, self._engine.read_back(table, None)])


def patiently(write: Callable[[], Committed]) -> Committed:
    """A write, tried again while other writers are in its way.

    Raises:
        WriteConflict: they stay there.
    """
    from tenacity import Retrying, retry_if_exception_type, stop_after_attempt, wait_random_exponential

    patience = Retrying(
        retry=retry_if_exception_type(WriteConflict),
        stop=stop_after_attempt(_ATTEMPTS),
        wait=wait_random_exponential(multiplier=0.5, max=10),
        reraise=True,
    )
    return patience(write)


def _pinned(table: TablePlan, pin: Pin) -> TablePlan:
    operation = table.operation
    if isinstance(operation, ReplaceSlices) and operation.where is not None:
        return replace(table, operation=replace(operation, where=pin(operation.where)))
    return table
