"""Rows added to a Delta table that several processes may create at once."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pyarrow as pa


def append_rows(path: Path, table: pa.Table, **how: Any) -> None:
    """Add rows. Those who write the very first ones at once all create the table: one wins, and the others append."""
    from deltalake import write_deltalake
    from deltalake.exceptions import CommitFailedError
    from tenacity import Retrying, retry_if_exception_type, stop_after_attempt, wait_random

    again = Retrying(
        retry=retry_if_exception_type(CommitFailedError),
        stop=stop_after_attempt(6),
        wait=wait_random(0, 0.3),
        reraise=True,
    )
    path.parent.mkdir(parents=True, exist_ok=True)
    again(write_deltalake, str(path), table, mode="append", **how)
