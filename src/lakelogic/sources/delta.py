"""What a Delta table's log tells without an engine."""

from __future__ import annotations

from lakelogic.formats.arrow_types import columns_of
from lakelogic.sql.types import Columns


def delta_columns(path: str) -> Columns | None:
    """The columns of a Delta table, or None where its log can't be read from here."""
    import pyarrow as pa
    from deltalake import DeltaTable
    from deltalake.exceptions import DeltaError

    try:
        return columns_of(pa.schema(DeltaTable(path).schema().to_arrow()))
    except (DeltaError, OSError, ValueError, NotImplementedError):
        return None
