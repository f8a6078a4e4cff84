"""Creating, altering and tidying Delta tables through delta-rs, without rows."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lakelogic.engines.duckdb.tables import Table
from lakelogic.formats.arrow_types import arrow_schema
from lakelogic.plan.ddl import Alteration
from lakelogic.plan.model import TablePlan, UpkeepPlan
from lakelogic.sql.types import Columns

if TYPE_CHECKING:
    from deltalake import Schema


def alter(found: Table, table: TablePlan, wanted: Alteration) -> None:
    """Create the table, or change its columns and settings."""
    from deltalake import DeltaTable

    if wanted.creates:
        DeltaTable.create(
            found.path,
            _schema(wanted.added),
            partition_by=list(table.partition_by) or None,
            configuration=dict(wanted.properties) or None,
            storage_options=found.options,
        )
        return
    if wanted.added.items:
        found.open().alter.add_columns(_schema(wanted.added).fields)
    if wanted.properties:
        found.open().alter.set_table_properties(dict(wanted.properties))


def undo(found: Table, before: int, said: str) -> None:
    """Bring back a version, or none of the rows if there was no table then, in a commit that says so."""
    from deltalake import CommitProperties

    telling = CommitProperties(custom_metadata={"userMetadata": said})
    if before >= 0:
        found.open().restore(before, commit_properties=telling)
    else:
        found.open().delete(commit_properties=telling)


def tidy(found: Table, upkeep: UpkeepPlan) -> None:
    """Join small files, then remove what no version within the retention needs."""
    if upkeep.compact:
        found.open().optimize.compact()
    if upkeep.vacuum_hours is not None:
        # How long is the contract's to say, also where that is less than a week.
        found.open().vacuum(round(upkeep.vacuum_hours), dry_run=False, enforce_retention_duration=False)


def _schema(columns: Columns) -> Schema:
    from deltalake import Schema

    return Schema.from_arrow(arrow_schema(columns))
