"""Iceberg tables by path through pyiceberg, laid out as Spark's Hadoop tables are, so that both open the same ones."""

from __future__ import annotations

import os
from pathlib import Path
from uuid import uuid4

from pyiceberg.catalog import MetastoreCatalog
from pyiceberg.catalog.noop import NoopCatalog
from pyiceberg.exceptions import CommitFailedException, NoSuchTableError
from pyiceberg.io import load_file_io
from pyiceberg.partitioning import PartitionField, PartitionSpec
from pyiceberg.schema import Schema
from pyiceberg.serializers import FromInputFile, ToOutputFile
from pyiceberg.table import CommitTableResponse, CreateTableTransaction, StagedTable, Table
from pyiceberg.table.metadata import TableMetadata, new_table_metadata
from pyiceberg.table.sorting import UNSORTED_SORT_ORDER
from pyiceberg.table.update import TableRequirement, TableUpdate, update_table_metadata
from pyiceberg.transforms import IdentityTransform
from pyiceberg.typedef import Identifier

from lakelogic.engines.iceberg_commits import metadata_file

_FIRST_PARTITION_FIELD = 1000


class FolderCatalog(NoopCatalog):
    """The one table of a folder. A commit is a numbered metadata file that only one writer can create."""

    def __init__(self, folder: Path) -> None:
        super().__init__(str(folder))
        self._folder = folder
        self._io = load_file_io(location=str(folder))

    def open(self) -> Table | None:
        """The table as it is now; None where there is none."""
        file = metadata_file(self._folder)
        return None if file is None else Table(self._identifier, _read(self, file), str(file), self._io, self)

    def load_table(self, identifier: str | Identifier) -> Table:
        """The table as it is now, for a commit that another writer has overtaken."""
        if (table := self.open()) is None:
            raise NoSuchTableError(f"no table is in {self._folder}")
        return table

    def create(
        self, schema: Schema, partition_by: tuple[str, ...], properties: dict[str, str]
    ) -> CreateTableTransaction:
        """A table that comes to be with what is written to it in the same transaction."""
        fields = [
            PartitionField(schema.find_field(name).field_id, _FIRST_PARTITION_FIELD + i, IdentityTransform(), name)
            for i, name in enumerate(partition_by)
        ]
        location = str(self._folder)
        metadata = new_table_metadata(schema, PartitionSpec(*fields), UNSORTED_SORT_ORDER, location, properties)
        staged = StagedTable(self._identifier, metadata, str(self._version(1)), self._io, self)
        return CreateTableTransaction(staged)

    def commit_table(
        self, table: Table, requirements: tuple[TableRequirement, ...], updates: tuple[TableUpdate, ...]
    ) -> CommitTableResponse:
        """Write the next metadata file.

        Raises:
            CommitFailedException: another writer was first.
        """
        file = metadata_file(self._folder)
        base = _read(self, file) if file else None
        for requirement in requirements:
            requirement.validate(base)
        updated = update_table_metadata(
            base or MetastoreCatalog._empty_table_metadata(),
            updates,
            enforce_validation=base is None,
            metadata_location=str(file) if file else None,
        )
        number = int(file.name[1:].split(".")[0]) + 1 if file else 1
        self._put(number, updated)
        told = {"metadata": updated, "metadata-location": str(self._version(number))}
        return CommitTableResponse.model_validate(told)

    @property
    def _identifier(self) -> tuple[str, str]:
        return (str(self._folder.parent), self._folder.name)

    def _version(self, number: int) -> Path:
        return self._folder / "metadata" / f"v{number}.metadata.json"

    def _put(self, number: int, metadata: TableMetadata) -> None:
        final = self._version(number)
        final.parent.mkdir(parents=True, exist_ok=True)
        written = final.with_name(f"{uuid4()}.metadata.json")
        ToOutputFile.table_metadata(metadata, self._io.new_output(str(written)))
        try:
            os.link(written, final)
        except FileExistsError:
            raise CommitFailedException(f"a concurrent writer has made version {number}") from None
        finally:
            written.unlink()
        # Others find the newest version by this; we look at the files themselves.
        hint = final.with_name(f"{uuid4()}.text")
        hint.write_text(str(number), encoding="ascii")
        hint.replace(final.with_name("version-hint.text"))


def _read(catalog: FolderCatalog, file: Path) -> TableMetadata:
    return FromInputFile.table_metadata(catalog._io.new_input(str(file)))
