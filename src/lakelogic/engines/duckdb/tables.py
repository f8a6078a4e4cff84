"""Delta tables through delta-rs: where they are, what their log says, and their rows."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from lakelogic.catalogs.base import Access, CatalogUnset, Resolved
from lakelogic.catalogs.resolving import catalog_of, resolve
from lakelogic.engines.base import Committed
from lakelogic.engines.commits import commit_of
from lakelogic.engines.duckdb.session import Frame, Session, converted
from lakelogic.engines.duckdb.streams import Stream
from lakelogic.errors import LakeLogicError, SourceError
from lakelogic.formats.arrow_types import columns_of
from lakelogic.formats.bytes import is_uri
from lakelogic.plan.locations import Location, warehouse_folder
from lakelogic.sources.delta import is_table
from lakelogic.sources.delta_paths import can_open
from lakelogic.sql.duckdb.types import duckdb_type, quoted, text
from lakelogic.sql.types import Columns

if TYPE_CHECKING:
    import pyarrow as pa
    from deltalake import DeltaTable

_HISTORY = 50


@dataclass(frozen=True)
class Table:
    """A table as people call it, and where a catalog or the project says that it is."""

    shown: str
    place: Resolved

    @property
    def path(self) -> str:
        return self.place.location

    @property
    def options(self) -> dict[str, str] | None:
        """What opens the place, if it needs more than its address."""
        return dict(self.place.storage_options) or None

    @property
    def exists(self) -> bool:
        from deltalake import DeltaTable

        if not is_uri(self.path):
            return is_table(Path(self.path))
        return DeltaTable.is_deltatable(self.path, self.options)

    def open(self, version: int | None = None) -> DeltaTable:
        from deltalake import DeltaTable

        return DeltaTable(self.path, version=version, storage_options=self.options)

    def find_commit(self, run_id: str) -> Committed | None:
        """The commit of rows that carries this run's id."""
        return commit_of(self.history(), run_id, self.shown)

    def history(self) -> list[dict[str, Any]]:
        """What the log says, newest first."""
        return self.open().history(_HISTORY) if self.exists else []

    def last_sequence(self, app_id: str) -> int:
        """The highest number that this writer has committed."""
        return (self.open().transaction_version(app_id) or 0) if self.exists else 0


def find_table(location: Location, warehouse: Path, access: Access) -> Table:
    """The table of a path, or of a name: those that no catalog claims are folders of the warehouse.

    Raises:
        SourceError: delta-rs can't name the path, or a table to be read is not there.
        CatalogError: the catalog does not know the table, or does not give it.
    """
    if location.is_name and catalog_of(location.text, os.environ) is not None:
        return Table(location.text, resolve(location.text, os.environ, access))
    path = str(warehouse_folder(location, warehouse)) if location.is_name else location.text
    _refuse_odd(path)
    return Table(location.text, Resolved(path, {}, "local"))


def unknown_table(name: str) -> LakeLogicError:
    """What to say of a name that is not in the warehouse."""
    try:
        resolve(name, os.environ)
    except CatalogUnset as error:
        return SourceError(f"can't read {name}: {error.message}", cure=error.cure)
    return SourceError(f"can't read {name}: its catalog knows it, but no Delta table is there.")


def _refuse_odd(path: str) -> None:
    if not is_uri(path) and not can_open(path):
        raise SourceError(
            f"a Delta table at {path} can't be opened without Spark: its path has one of [ ] ^ | # ? \\ %.",
            cure="Rename the folder, or run with --engine spark.",
        )


def table_columns(table: DeltaTable) -> Columns:
    """The columns of an open table."""
    return columns_of(_schema(table))


def read_table(session: Session, table: DeltaTable) -> Frame:
    """The rows of an open table: its files as they are, where nothing but files makes up the table."""
    if not _is_plain(table):
        return session.stream(Stream(_schema(table), lambda: _scanned(table)))
    return _read(session, table, table.file_uris())


def read_files_of(session: Session, table: DeltaTable, files: Sequence[str]) -> Frame:
    """The rows of some files of an open table."""
    if _is_plain(table):
        return _read(session, table, files)
    return session.stream(Stream(_schema(table), lambda: _scanned_files(table, files)))


def _read(session: Session, table: DeltaTable, files: Sequence[str]) -> Frame:
    if not files:
        return session.register(_schema(table).empty_table())
    columns = table_columns(table)
    listed = ", ".join(text(_local(file)) for file in files)
    relation = f"read_parquet([{listed}], union_by_name = true, hive_partitioning = false)"
    types = session.types(relation)
    typed = [f"{converted(c.name, types.get(c.name), duckdb_type(c.type))} AS {quoted(c.name)}" for c in columns]
    return session.select(f"SELECT {', '.join(typed)} FROM {relation}")


def _is_plain(table: DeltaTable) -> bool:
    features = set(table.protocol().reader_features or ())
    metadata = table.metadata()
    mapped = metadata.configuration.get("delta.columnMapping.mode", "none") != "none"
    remote = is_uri(table.table_uri) and not table.table_uri.startswith("file:")
    return not (mapped or remote or metadata.partition_columns or features & {"deletionVectors", "typeWidening"})


def _scanned(table: DeltaTable) -> Iterator[pa.RecordBatch]:
    import pyarrow as pa

    yield from pa.RecordBatchReader.from_stream(table.scan()).cast(_schema(table))


def _scanned_files(table: DeltaTable, files: Sequence[str]) -> Iterator[pa.RecordBatch]:
    """Files of a table with partitions, whose values are told by the log alone."""
    from pyarrow.dataset import FileSystemDataset

    names = {file.rpartition("/")[2] for file in files}
    whole = table.to_pyarrow_dataset()
    chosen = [part for part in whole.get_fragments() if part.path.rpartition("/")[2] in names]
    found = FileSystemDataset(chosen, whole.schema, whole.format, whole.filesystem)
    for batch in found.to_batches():
        yield batch.cast(_schema(table))


def _schema(table: DeltaTable) -> pa.Schema:
    import pyarrow as pa

    return pa.schema(table.schema().to_arrow())


def _local(uri: str) -> str:
    from urllib.parse import unquote

    # delta-rs escapes the names of folders, too; a path with a percent sign of its own is refused before.
    return unquote(uri.removeprefix("file://"))
