"""Where copies of a table are sent: `exports` of a contract or of the project around it."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal, Self

from pydantic import Field, ValidationError, model_validator

from lakelogic.contract.fields import ModelField
from lakelogic.contract.naming import is_table_name, name_parts
from lakelogic.contract.one_of import OneOf
from lakelogic.errors import Place, UsageError
from lakelogic.models import Model, Name, Names
from lakelogic.project import Project, place_of
from lakelogic.registry import plugged_in

if TYPE_CHECKING:
    from lakelogic.contract.loaded import LoadedContract

# What the first part of a table's name is called there.
_WITH_TABLES = {"snowflake": "database", "databricks": "catalog"}
OWN_KINDS = (*_WITH_TABLES, "s3")


def export_kinds() -> list[str]:
    """Every system that a contract may name: ours, and those of other packages by the names of their entry points."""
    return sorted({*OWN_KINDS, *plugged_in("lakelogic.export_targets")})


class Export(Model):
    """A system that gets a copy of the table after each successful run."""

    to: Annotated[str, OneOf("export target", export_kinds)] = Field(
        description="Kind of system; the environment says where it is and who we are there."
    )
    table: Name | None = Field(
        default=None, description="snowflake, databricks: the table there, with database or catalog, and schema."
    )
    prefix: Name | None = Field(
        default=None, description="s3: folder in the bucket; the layer and the name of the contract when absent."
    )
    mode: Literal["merge", "replace"] | None = Field(
        default=None,
        description="snowflake, databricks: merge by key, or replace all rows; merge where there is a key.",
    )
    keys: Names = Field(default=(), description="Columns that identify a row; those of the contract when absent.")
    columns: Names = Field(default=(), description="Columns to send; all when absent.")
    delete_missing: bool = Field(
        default=False, description="Whether what the table no longer has is deleted there, too."
    )

    @model_validator(mode="after")
    def _fits(self) -> Self:
        if self.to == "s3":
            if self.table is not None or self.mode is not None:
                raise ValueError("table and mode have no meaning for s3. Write prefix.")
            return self
        if part := _WITH_TABLES.get(self.to):
            if self.prefix is not None:
                raise ValueError(f"prefix has no meaning for {self.to}. Write table.")
            if self.table is None or not is_table_name(self.table) or len(name_parts(self.table)) != 3:
                raise ValueError(f"{self.to} needs a table of three parts. Write table: {part}.schema.table.")
        if self.mode == "replace" and self.delete_missing:
            raise ValueError("delete_missing has no meaning with mode replace. Remove it.")
        return self


class ProjectExport(Export):
    """The same in the project file: of a contract by its name, or of files of the project."""

    contract: Name | None = Field(default=None, description="Name of the contract whose table is sent.")
    files: Names = Field(default=(), description="s3: files and folders to send, relative to the project's root.")

    @model_validator(mode="after")
    def _of_one(self) -> Self:
        if bool(self.files) == (self.contract is not None):
            raise ValueError("either contract or files must be there.")
        if self.files and (self.to != "s3" or self.columns or self.keys):
            raise ValueError("files can be sent to s3 only, without columns and keys.")
        return self


def exports_of(loaded: LoadedContract) -> tuple[Export, ...]:
    """Every export of a contract: its own, and those that the project file has for it.

    Raises:
        UsageError: the project file is wrong.
    """
    project = (each for each in project_exports(loaded.project) if each.contract == loaded.name)
    return (*loaded.model.exports, *project)


def project_exports(project: Project) -> tuple[ProjectExport, ...]:
    """The exports that the project file lists, itself or in the file that it names.

    Raises:
        UsageError: an entry is wrong, or the file can't be read.
    """
    if not project.exports or project.file is None:
        return ()
    if isinstance(project.exports, str):
        file = project.root / project.exports
        return tuple(_validated(_listed(file), Place(str(file))))
    return tuple(_validated(project.exports, place_of(project.file, "exports")))


def keys_of(loaded: LoadedContract, export: Export) -> tuple[str, ...]:
    """The columns that identify a row of the table: with history, each version of a key is a row."""
    said = loaded.model.materialization
    if said.strategy == "scd2":
        return export.keys or (said.scd2.surrogate_key if said.scd2 else "_sk",)
    return export.keys or loaded.primary_key


def in_clear(export: Export, fields: Iterable[ModelField]) -> list[str]:
    """Private columns that an export would send as they are."""
    chosen = {name.lower() for name in export.columns}
    return [
        item.name
        for item in fields
        if item.is_personal and not item.is_masked and (not chosen or item.name.lower() in chosen)
    ]


def _listed(file: Path) -> Sequence[Mapping[str, object]]:
    try:
        data = json.loads(file.read_text(encoding="utf-8"))
    except OSError as error:
        raise UsageError(f"the list of exports can't be read: {error.strerror}.", place=Place(str(file))) from None
    except ValueError as error:
        raise UsageError(f"not JSON: {error}.", place=Place(str(file))) from None
    entries = data.get("exports") if isinstance(data, dict) else data
    if not isinstance(entries, list) or not all(isinstance(entry, dict) for entry in entries):
        raise UsageError("the file has no list of exports.", cure='Write {"exports": […]}.', place=Place(str(file)))
    return entries


def _validated(entries: Sequence[Mapping[str, object]], place: Place) -> Iterator[ProjectExport]:
    for number, entry in enumerate(entries):
        try:
            yield ProjectExport.model_validate(entry)
        except ValidationError as error:
            first = error.errors(include_url=False)[0]
            where = ".".join(str(part) for part in ("exports", number, *first["loc"]))
            told = str(first["msg"]).removeprefix("Value error, ").rstrip(".")
            raise UsageError(f"{where}: {told}.", place=place) from None
