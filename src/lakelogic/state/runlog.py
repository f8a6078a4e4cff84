"""The run log: a Delta table with a row for every run, written without an engine."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime, timedelta
from io import BytesIO
from pathlib import Path
from tempfile import TemporaryFile
from typing import TYPE_CHECKING, Any, ClassVar

from lakelogic.errors import RunBusy, StateError, first_line
from lakelogic.sources.delta_paths import can_open
from lakelogic.state.appending import append_rows
from lakelogic.state.locks import target_lock

if TYPE_CHECKING:
    import pyarrow as pa
    from deltalake import DeltaTable

FORMAT = 1
# How a run may have ended.
STATUSES = ("succeeded", "no_new_data", "failed", "skipped", "blocked", "awaiting_approval")

# A run adds a file. From so many on they are put together, up to a size that is not rewritten again and again.
_MANY_FILES = 32
_FILE_BYTES = 4_000_000
# By default a hundred commits are read one by one before any is left out, which costs a run more than its own row.
_SETTINGS = {"delta.checkpointInterval": "20"}
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_DATA_FILE = re.compile(r"[\w.-]+\.parquet")


def run_log_schema() -> pa.Schema:
    """The columns of the run log; new ones are only ever added at the end."""
    import pyarrow as pa

    text, number, real = pa.string(), pa.int64(), pa.float64()
    moment = pa.timestamp("us", tz="UTC")
    rule = pa.struct(
        [
            ("name", text),
            ("status", text),
            ("failed", number),
            ("category", text),
            ("severity", text),
            ("stage", text),
        ]
    )
    dataset_rule = pa.struct([("name", text), ("status", text), ("value", real), ("severity", text)])
    level = pa.struct([("name", text), ("status", text), ("value", real), ("threshold", real)])
    return pa.schema(
        [
            ("format", pa.int32()),
            ("run_id", text),
            ("pipeline_run_id", text),
            ("sequence", number),
            ("attempt", pa.int32()),
            ("contract", text),
            ("contract_file", text),
            ("contract_version", text),
            ("dataset", text),
            ("layer", text),
            ("domain", text),
            ("system", text),
            ("environment", text),
            ("engine", text),
            ("plan", text),
            ("mode", text),
            ("reason", text),
            ("status", text),
            ("error", text),
            ("window_start", moment),
            ("window_end", moment),
            ("started_at", moment),
            ("ended_at", moment),
            ("duration_seconds", real),
            ("source", text),
            ("input", text),
            ("input_files", number),
            ("watermark", text),
            ("counts_source", number),
            ("counts_expanded", number),
            ("counts_good", number),
            ("counts_quarantined", number),
            ("counts_filtered", number),
            ("counts_deduplicated", number),
            ("quarantine_ratio", real),
            ("quality_score", real),
            ("target", text),
            ("target_version", number),
            ("quarantine", text),
            ("quarantine_version", number),
            ("rules", pa.list_(rule)),
            ("dataset_rules", pa.list_(dataset_rule)),
            ("service_levels", pa.list_(level)),
            ("cost", real),
            ("report", text),
            ("actor", text),
        ]
    )


class RunLog:
    """Appends to and reads the run log in a state folder; a log of another kind has another name and schema."""

    name: ClassVar[str] = "run_log"

    def __init__(self, folder: Path) -> None:
        self.path = folder / self.name

    def schema(self) -> pa.Schema:
        """The columns; new ones are only ever added at the end."""
        return run_log_schema()

    def require_usable(self) -> None:
        """Look, before anything is written, whether a run can be recorded here.

        Raises:
            StateError: the log can't be kept in this folder, can't be read or written, or is of a newer version.
        """
        if not can_open(str(self.path)):
            raise StateError(
                f"the run log can't be kept in {self.path.parent}: its path has one of [ ] ^ | # ? \\ %.",
                cure="Name another folder with LAKELOGIC_STATE, or as 'state' in lakelogic.toml.",
            )
        table = self._table()
        if table is None:
            return
        newest = _newest_format(table)
        if newest > FORMAT:
            raise StateError(f"the run log {self.path} was written by a newer version.", cure="Upgrade lakelogic here.")
        try:
            with TemporaryFile(dir=self.path / "_delta_log"):
                pass
        except OSError as error:
            raise _unwritable(self.path, error) from None

    @property
    def exists(self) -> bool:
        """Whether anything was ever logged here."""
        return self._table() is not None

    def append(self, row: Mapping[str, Any], *, app_id: str | None = None, sequence: int | None = None) -> None:
        """Add a run. With a writer and its number, a repeated append is a no-op.

        Raises:
            StateError: the log can't be written.
        """
        from deltalake import CommitProperties, Transaction
        from deltalake.exceptions import DeltaError

        transactions = None
        if app_id is not None and sequence is not None:
            if (self.recorded(app_id) or 0) >= sequence:
                return
            transactions = [Transaction(app_id, sequence)]
        table = as_table([{**row, "format": FORMAT}], self.schema())
        try:
            append_rows(
                self.path,
                table,
                schema_mode="merge",
                commit_properties=CommitProperties(app_transactions=transactions),
                configuration=_SETTINGS,
            )
        except (DeltaError, OSError) as error:
            raise _unwritable(self.path, error) from None

    def tidy(self) -> None:
        """Put many small files together, so that a log of many runs is read as fast as one of few.

        Raises:
            StateError: the log can't be read or written.
        """
        from deltalake.exceptions import DeltaError

        if not self._has_many_files(self._table()):
            return
        try:
            # Two that do it at once would both commit, and every row would be there twice.
            with target_lock(self.path.parent, str(self.path), "run log"):
                table = self._table()
                if table is not None and self._has_many_files(table):
                    table.optimize.compact(target_size=_FILE_BYTES)
                    table.vacuum(dry_run=False)
        except RunBusy:
            return
        except (DeltaError, OSError) as error:
            raise _unwritable(self.path, error) from None

    def _has_many_files(self, table: DeltaTable | None) -> bool:
        return table is not None and len(table.file_uris()) >= _MANY_FILES

    def recorded(self, app_id: str) -> int | None:
        """The highest number that a writer has recorded here."""
        table = self._table()
        return table.transaction_version(app_id) if table is not None else None

    def rows(self, columns: list[str] | None = None, **equal: str) -> list[dict[str, Any]]:
        """Runs whose columns have these values, oldest first."""
        return sorted(as_rows(self.arrow(columns, equal)), key=lambda row: str(row.get("ended_at") or ""))

    def arrow(
        self,
        columns: list[str] | None = None,
        equal: Mapping[str, str | list[str]] | None = None,
        *,
        since: datetime | None = None,
        until: datetime | None = None,
    ) -> pa.Table:
        """The same as one table, in no order; a list holds values of which a column has one.

        With `since` and `until`, of runs that began at or after a moment, and before another.
        """
        import pyarrow as pa
        from deltalake.exceptions import DeltaError

        table = self._table()
        if table is None:
            wanted = columns or self.schema().names
            return self.schema().empty_table().select(wanted)
        terms = [f"{name} IN ({_quoted(value)})" for name, value in (equal or {}).items()]
        terms += [f"started_at >= {_quoted(_moment(_within(since)))}"] if since else []
        terms += [f"started_at < {_quoted(_moment(_within(until)))}"] if until else []
        there = {field.name for field in table.schema().fields}
        read = [name for name in columns if name in there] if columns else None
        try:
            # Read through a file system of Python, a process may be aborted when it ends.
            found = pa.RecordBatchReader.from_stream(table.scan(columns=read, predicate=" AND ".join(terms) or None))
            return _as_known(found.read_all(), self.schema(), columns)
        except (DeltaError, pa.ArrowException, OSError) as error:
            raise self._unreadable(error) from None

    def _table(self) -> DeltaTable | None:
        from deltalake import DeltaTable
        from deltalake.exceptions import DeltaError, TableNotFoundError

        try:
            return DeltaTable(str(self.path))
        except TableNotFoundError:
            return None
        except (DeltaError, OSError, ValueError) as error:
            raise self._unreadable(error) from None

    def _unreadable(self, error: Exception) -> StateError:
        file = _DATA_FILE.search(str(error))
        why = f"its file {file[0]} is damaged, gone, or may not be read." if file else _first(error)
        return StateError(f"the run log {self.path} can't be read: {why}", cure="Restore it, or move it away.")


def as_rows(runs: pa.Table) -> list[dict[str, Any]]:
    """Rows of the log as data. Moments go by way of numbers: with their zone, pyarrow would load pandas for them."""
    import pyarrow as pa

    moments = [field.name for field in runs.schema if pa.types.is_timestamp(field.type)]
    for name in moments:
        runs = runs.set_column(runs.schema.get_field_index(name), name, runs.column(name).cast(pa.int64()))
    rows: list[dict[str, Any]] = runs.to_pylist()
    for row in rows:
        row.update((name, moment_of(row[name])) for name in moments)
    return rows


def moment_of(microseconds: int | None) -> datetime | None:
    """A moment of the log, from the number that stands for it."""
    return None if microseconds is None else _EPOCH + timedelta(microseconds=microseconds)


def _as_known(found: pa.Table, known: pa.Schema, columns: list[str] | None) -> pa.Table:
    """With the types of today: texts come as views, which can't be sorted. What a log of old does not have is unknown."""
    import pyarrow as pa

    fields = [known.field(each.name) if each.name in known.names else each for each in found.schema]
    found = found.cast(pa.schema(fields))
    for name in columns or ():
        if name not in found.column_names:
            found = found.append_column(known.field(name), pa.nulls(len(found), known.field(name).type))
    return found


def _newest_format(table: DeltaTable) -> int:
    """The highest format of any row, from the statistics of the log's files."""
    # Turned into a table of pyarrow, it would load pandas.
    actions = table.get_add_actions(flatten=True)
    if "max.format" not in actions.schema.names:
        return 0
    return max((int(value) for value in actions.column("max.format").to_pylist() if value is not None), default=0)


def as_table(rows: Iterable[Mapping[str, Any]], schema: pa.Schema) -> pa.Table:
    """Rows as a table, by way of JSON: where pandas is installed, pyarrow would load it to turn values into columns."""
    from pyarrow import json as arrow_json

    known = ({name: row.get(name) for name in schema.names} for row in rows)
    text = "\n".join(json.dumps(row, default=_moment) for row in known).encode()
    options = arrow_json.ParseOptions(explicit_schema=schema, unexpected_field_behavior="ignore")
    return arrow_json.read_json(BytesIO(text), arrow_json.ReadOptions(block_size=len(text) + 1), options)


def _moment(value: object) -> str:
    return value.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ") if isinstance(value, datetime) else str(value)


def _within(moment: datetime) -> datetime:
    """The same, or the first or last moment that a log can be asked about: it counts in nanoseconds."""
    first, last = datetime(1678, 1, 1, tzinfo=UTC), datetime(2262, 1, 1, tzinfo=UTC)
    return min(max(moment, first), last)


def _quoted(value: str | list[str]) -> str:
    texts = [value] if isinstance(value, str) else value
    return ", ".join("'" + text.replace("'", "''") + "'" for text in texts)


def as_text(data: Mapping[str, Any]) -> str:
    """Data as compact JSON text, for a column of the log."""
    return json.dumps(data, ensure_ascii=False, separators=(",", ":"), default=str)


def _first(error: Exception) -> str:
    # Libraries wrap an error in the names of all the layers that it came through; the last words tell.
    return first_line(error).rpartition(" error: ")[2].rstrip(".") + "."


def _unwritable(path: Path, error: Exception) -> StateError:
    return StateError(f"the run log {path} can't be written: {_first(error)}", cure="Check its permissions and space.")
