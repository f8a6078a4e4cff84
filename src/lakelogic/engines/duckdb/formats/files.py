"""Tables of parquet, csv or json files, written and read by DuckDB."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from lakelogic.engines.base import Committed, Stamp
from lakelogic.engines.commits import require_commit
from lakelogic.engines.duckdb.errors import source_error, write_error
from lakelogic.engines.duckdb.session import Frame, Session
from lakelogic.engines.plain_files import PlainFiles
from lakelogic.formats.arrow_types import columns_of
from lakelogic.plan.locations import Location
from lakelogic.plan.model import TablePlan
from lakelogic.sources.read import TableToRead
from lakelogic.sql.duckdb.types import duckdb_type, quoted, text
from lakelogic.sql.types import Column, Columns, parse_type

_OPTIONS = {
    "parquet": "FORMAT parquet, COMPRESSION zstd",
    "csv": "FORMAT csv, HEADER, QUOTE '\"', ESCAPE '\"'",
}
_BATCH_ROWS = 10_000


def file_tables(kind: str) -> Callable[[Session, Path], FileTables]:
    """Makes what handles tables of one kind of file."""
    return lambda session, _: FileTables(session, kind)


class FileTables(PlainFiles):
    """Such tables, read and written by DuckDB."""

    def __init__(self, session: Session, kind: str) -> None:
        super().__init__(kind)
        self._session = session

    def pin(self, wanted: TableToRead) -> tuple[TableToRead, Columns]:
        pinned = self._pinned(wanted)
        schema = self._session.relation(self.read(pinned)).limit(0).to_arrow_table().schema
        return pinned, columns_of(schema)

    def read(self, wanted: TableToRead) -> Frame:
        table = self._table(Location(wanted.location, wanted.is_name))
        columns = Columns(tuple(Column(name, parse_type(kind)) for name, kind in table.columns()))
        with self._session.told(source_error(wanted.location)):
            folders = table.folders(wanted.version)
            return self._session.select(_scan(self._kind, folders, columns))

    def write(self, table: TablePlan, frame: Frame, stamp: Stamp) -> Committed:
        found = self._table(Location(table.location, table.is_name))
        with self._session.told(write_error(table.location)):
            found.write(table, stamp, lambda folder: self._save(frame, folder, table.partition_by))
            return require_commit(found.find_commit(stamp.run_id), table.location, stamp.run_id)

    def _save(self, frame: Frame, folder: Path, partition_by: tuple[str, ...]) -> int:
        """Write the files, and count the rows that they hold."""
        if not partition_by:
            folder.mkdir()
        if self._kind == "json":
            self._save_lines(frame, folder / "part-00000.json")
        else:
            place = folder if partition_by else folder / f"part-00000.{self._kind}"
            layout = f", PARTITION_BY ({', '.join(map(quoted, partition_by))})" if partition_by else ""
            options = _OPTIONS[self._kind] + layout
            self._session.copy(frame, str(place), options)
        if not any(folder.rglob(f"*.{self._kind}")):
            return 0
        (counted,) = self._session.rows(
            self._session.select(f"SELECT count(*) AS rows FROM {_files(self._kind, [str(folder)])}"), 1
        )
        return int(str(counted["rows"]))

    def _save_lines(self, frame: Frame, file: Path) -> None:
        """Rows of json come as ready texts."""
        with file.open("w", encoding="utf-8", newline="\n") as stream:
            for batch in self._session.relation(frame).to_arrow_reader(_BATCH_ROWS):
                stream.writelines(f"{line}\n" for line in batch.column(0).to_pylist())


def _files(kind: str, folders: list[str]) -> str:
    listed = ", ".join(text(f"{folder}/**/*.{kind}") for folder in folders)
    if kind == "parquet":
        return f"read_parquet([{listed}], union_by_name = true, hive_partitioning = true)"
    if kind == "csv":
        text_only = "header = true, all_varchar = true, quote = '\"', escape = '\"', hive_partitioning = false"
        return f"read_csv([{listed}], union_by_name = true, {text_only})"
    return f"read_ndjson_objects([{listed}])"


def _scan(kind: str, folders: list[str], columns: Columns) -> str:
    """A SELECT of the columns that the runs have written; those of json are members of each line."""
    if not folders:
        nothing = ", ".join(f"CAST(NULL AS {duckdb_type(c.type)}) AS {quoted(c.name)}" for c in columns)
        return f"SELECT {nothing or 'NULL AS nothing'} WHERE false"
    if kind == "json":
        values = ", ".join(f"json->>{text('$.' + quoted(c.name))} AS {quoted(c.name)}" for c in columns)
        return f"SELECT {values} FROM {_files(kind, folders)}"
    return f"SELECT {', '.join(quoted(c.name) for c in columns)} FROM {_files(kind, folders)}"
