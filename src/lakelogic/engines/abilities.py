"""What an engine can do with tables of a format, known before it is opened."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from lakelogic.errors import ContractError
from lakelogic.plan.model import Plan, TablePlan
from lakelogic.write.operations import AppendRows, MergeRows, Operation, ReplaceRows


@dataclass(frozen=True)
class Ability:
    """The operations that an engine can apply to tables of a format, and how it can lay them out.

    `merged_columns` is how many columns a merge may have at most.
    """

    operations: tuple[type[Operation], ...] = (Operation,)
    partitions: bool = True
    clusters: bool = False
    properties: bool = True
    upkeep: bool = True
    storage: bool = False
    merged_columns: int | None = None


# Plain files have no rows that could be changed, and no log that could say how they are laid out.
FILES: Mapping[str, Ability] = {
    kind: Ability((AppendRows, ReplaceRows), partitions=kind == "parquet", properties=False, upkeep=False)
    for kind in ("parquet", "csv", "json")
}


def refuse_unable(plan: Plan, writes: Mapping[str, Ability]) -> None:
    """Refuse what the engine can't write, before data is read.

    Raises:
        ContractError: says what, and what can be done instead.
    """
    tables = [table for _, table in plan.written] + ([plan.quarantine] if plan.quarantine else [])
    for table in tables:
        if table.format not in writes:
            raise ContractError(
                f"engine {plan.engine} can't write {table.format} tables.", cure=f"It can: {', '.join(sorted(writes))}."
            )
        if problem := next(iter(_problems(table, writes[table.format], plan.engine)), None):
            raise problem


def _problems(table: TablePlan, can: Ability, engine: str) -> Iterable[ContractError]:
    what = f"tables of format {table.format} on engine {engine}"
    if not isinstance(table.operation, can.operations):
        yield ContractError(
            f"strategy {table.strategy} can't be applied to {what}.", cure="Use format delta, or another strategy."
        )
    many = len(table.columns)
    if isinstance(table.operation, MergeRows) and can.merged_columns is not None and many > can.merged_columns:
        yield ContractError(
            f"a merge of {many:,} columns takes too long for {what}; it may have {can.merged_columns:,}.",
            cure="Keep the columns that are needed, use another strategy, or run with --engine spark.",
        )
    if table.partition_by and not can.partitions:
        yield ContractError(f"partition_by can't be applied to {what}.", cure="Use format parquet or delta.")
    if table.cluster_by and not can.clusters:
        yield ContractError(f"cluster_by can't be applied to {what}.", cure="Use format delta on Spark, or drop it.")
    if table.cluster_by and table.partition_by:
        yield ContractError("a table can't be both partitioned and clustered.", cure="Keep cluster_by.")
    if table.properties and not can.properties:
        yield ContractError(f"table_properties have no meaning for {what}.", cure="Remove them.")
    if table.storage and not (can.storage and table.is_name):
        yield ContractError(
            f"location says where a catalog keeps a table, and {table.location} is not in one.",
            cure="Write the path as target_path.",
        )
    if table.upkeep and not can.upkeep:
        yield ContractError(f"compaction can't be done for {what}.", cure="Remove it.")
