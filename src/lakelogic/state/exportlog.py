"""The export log: a Delta table beside the run log, with a row for every export that was tried."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from lakelogic.state.runlog import RunLog

if TYPE_CHECKING:
    import pyarrow as pa


def export_log_schema() -> pa.Schema:
    """The columns of the export log; new ones are only ever added at the end."""
    import pyarrow as pa

    text, number = pa.string(), pa.int64()
    moment = pa.timestamp("us", tz="UTC")
    return pa.schema(
        [
            ("format", pa.int32()),
            ("export_id", text),
            ("run_id", text),
            ("contract", text),
            ("kind", text),
            ("target", text),
            ("status", text),
            ("error", text),
            ("table_location", text),
            ("table_version", number),
            ("fingerprint", text),
            ("rows", number),
            ("inserted", number),
            ("updated", number),
            ("deleted", number),
            ("files", number),
            ("files_sent", number),
            ("bytes", number),
            ("statements", pa.list_(text)),
            ("attempts", pa.int32()),
            ("started_at", moment),
            ("ended_at", moment),
        ]
    )


class ExportLog(RunLog):
    """Appends to and reads the receipts of exports."""

    name: ClassVar[str] = "export_log"

    def schema(self) -> pa.Schema:
        return export_log_schema()

    def last(self, **equal: str) -> dict[str, Any] | None:
        """The newest receipt whose columns have these values."""
        return next(iter(self.rows(None, **equal)[-1:]), None)
