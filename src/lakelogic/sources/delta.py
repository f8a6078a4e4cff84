"""What a Delta table's log tells without an engine."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from lakelogic.formats.arrow_types import columns_of
from lakelogic.plan.ddl import TableState
from lakelogic.sources.delta_paths import can_open
from lakelogic.sql.types import Columns

if TYPE_CHECKING:
    from deltalake import DeltaTable


def delta_columns(path: str) -> Columns | None:
    """The columns of a Delta table, or None where its log can't be read from here."""
    found = state_at(path)
    return found.columns if found else None


def state_at(path: str, version: int | None = None) -> TableState | None:
    """What a Delta table is like, or was at a version; None where its log can't be read from here."""
    from deltalake import DeltaTable
    from deltalake.exceptions import DeltaError

    try:
        return delta_state(DeltaTable(path, version=version))
    except (DeltaError, OSError, ValueError, NotImplementedError):
        return None


def delta_state(table: DeltaTable) -> TableState:
    """What an open Delta table is like."""
    import pyarrow as pa

    metadata = table.metadata()
    columns = columns_of(pa.schema(table.schema().to_arrow()))
    return TableState(columns, tuple(metadata.partition_columns), properties=metadata.configuration)


def local_state(path: str) -> TableState | None:
    """The same of a table whose log is in a folder of this machine; None where there is none."""
    return state_at(path) if can_open(path) and is_table(Path(path)) else None


def is_table(folder: Path) -> bool:
    """Whether a folder of this machine is a Delta table; a write that failed may have left a log without a commit."""
    from deltalake import DeltaTable

    return (folder / "_delta_log").is_dir() and DeltaTable.is_deltatable(str(folder))
