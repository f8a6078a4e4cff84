"""From the contract's source to what is read: the files or table, their columns, and why all or only a part."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from pathlib import Path

from lakelogic.contract import LoadedContract
from lakelogic.contract.naming import format_of
from lakelogic.contract.source import Link, Source
from lakelogic.errors import ContractError, SourceError
from lakelogic.formats.base import ReadOptions, Shape, formats, union_of
from lakelogic.plan.locations import Location, locate, locate_in
from lakelogic.sources.files import Listing, SourceFile, list_files
from lakelogic.sources.read import FilesToRead, TableToRead
from lakelogic.sql.types import STRING, Column, Columns, is_nested, parse_type

TABLE_FORMATS = ("delta", "iceberg")


@dataclass(frozen=True)
class SourceSpec:
    """The source as the contract, or the call, names it. `folder` is what a relative path is relative to."""

    location: Location
    format: str | None
    options: ReadOptions
    pattern: str | None = None
    folder: str = ""
    declared: Source = field(default_factory=Source)

    @property
    def shown(self) -> str:
        """What is looked for: the folder and the pattern of the files in it."""
        return f"{self.location.text}/{self.pattern}" if self.pattern else self.location.text

    @property
    def is_table(self) -> bool:
        return self.location.is_name or self.format in TABLE_FORMATS

    @property
    def incremental(self) -> bool:
        return self.declared.load_mode != "full"

    @property
    def skip_when_empty(self) -> bool:
        return self.declared.empty_behavior == "skip"


def source_of(loaded: LoadedContract, override: str | None = None) -> SourceSpec:
    """What the contract reads; `override` takes its place, relative to the working directory.

    Raises:
        ContractError: there is no source, or its format can't be told.
    """
    declared = loaded.source or Source()
    if override is None and declared.path is None:
        raise ContractError(
            "the contract names no source.",
            cure="Add 'source: {path: …}', or pass --source.",
            place=loaded.place("source"),
        )
    folder = Path.cwd() if override else loaded.directory.absolute()
    key = "source" if loaded.model.source else "server"
    location = locate(override, folder) if override else locate_in(loaded, str(declared.path), key, "path")
    format_ = _format(declared, location, override)
    format_ = format_ if format_ in TABLE_FORMATS or not location.is_name else None
    return SourceSpec(
        location,
        format_,
        read_options(declared),
        declared.pattern if override is None else None,
        folder=str(folder),
        declared=declared,
    )


def read_options(source: Source) -> ReadOptions:
    """The reading options that a source declares."""
    options = source.options
    return ReadOptions(
        delimiter=options.delimiter,
        quote=options.quote_char,
        header=options.has_header,
        encoding=options.encoding,
        null_values=options.null_values,
        comment=options.comment_prefix,
        multiline=options.multiline,
    )


def _format(declared: Source, location: Location, override: str | None) -> str | None:
    if override is None and declared.format is not None:
        return {"jsonl": "json", "ndjson": "json"}.get(declared.format, declared.format)
    if override is None and declared.type in TABLE_FORMATS:
        return declared.type
    told = format_of((declared.pattern if override is None else None) or location.text)
    if told:
        return told
    return table_format(location.text) or declared.format


def table_format(path: str) -> str | None:
    """The format of a table that is at a path; None where there is none."""
    if (Path(path) / "_delta_log").is_dir():
        return "delta"
    return "iceberg" if (Path(path) / "metadata" / "version-hint.text").is_file() else None


def list_source(spec: SourceSpec) -> Listing:
    """The files of a file source.

    Raises:
        SourceError: the place can't be listed.
    """
    return list_files(spec.location.text, spec.pattern, spec.folder)


def format_from(files: Iterable[SourceFile], spec: SourceSpec) -> str:
    """The format: as told, else from the endings of the files.

    Raises:
        SourceError: it can't be told.
    """
    if spec.format:
        return spec.format
    endings = {format_of(file.path) for file in files}
    if len(endings) == 1 and (only := endings.pop()) in formats:
        return str(only)
    raise SourceError(
        f"the format of {spec.location.text} can't be told.", cure="Add 'source: {format: csv}' or the like."
    )


def to_read(
    loaded: LoadedContract | None, spec: SourceSpec, listing: Listing, files: tuple[SourceFile, ...]
) -> FilesToRead:
    """Files with their columns, as far as headers and footers tell; json needs the engine.

    Raises:
        SourceError: a file can't be read, or names a column twice.
    """
    format_ = format_from(files, spec)
    if format_ not in formats:
        raise SourceError(
            f"files of format '{format_}' can't be read.", cure=f"Known: {', '.join(formats.names())}, delta."
        )
    wanted = FilesToRead(
        format_,
        listing.root,
        files,
        partitions=Listing(listing.root, files).partition_names(),
        options=spec.options,
        as_text=_declared_scalars(loaded) if loaded else (),
    )
    if wanted.kind.needs_engine:
        return wanted
    shape = wanted.kind.shape(files, spec.options)
    if not spec.options.header and loaded is not None:
        shape = _named_by_model(loaded, shape)
    return refuse_twofold(replace(wanted, columns=shape.columns, layouts=shape.layouts, rows=shape.rows))


def refuse_twofold(wanted: FilesToRead) -> FilesToRead:
    """The same, unless a column is in the files and in the names of their folders.

    Raises:
        SourceError: there is such a column.
    """
    if twofold := next((name for name in wanted.partitions if name in wanted.columns), None):
        raise SourceError(
            f"'{twofold}' is a column of the files in {wanted.root} and of their folders' names.",
            cure="Rename one of them.",
        )
    return wanted


def _named_by_model(loaded: LoadedContract, shape: Shape) -> Shape:
    """Columns of files without a header, named by the model in its order."""
    declared = [item.name for item in loaded.model.model.fields]
    layouts = []
    for layout in shape.layouts:
        given = layout.columns.names
        names = (declared + given[len(declared) :])[: len(given)]
        layouts.append(replace(layout, columns=Columns(tuple(Column(name, STRING) for name in names))))
    return replace(shape, columns=union_of(layouts), layouts=tuple(layouts))


def _declared_scalars(loaded: LoadedContract) -> tuple[str, ...]:
    if loaded.source and loaded.source.flatten_nested:
        # A declared field may be part of a struct, and would be looked for beside it.
        return ()
    typed = [(item.name, parse_type(item.type)) for item in loaded.model.model.fields if item.type]
    return tuple(name for name, data_type in typed if not is_nested(data_type))


def source_columns(wanted: FilesToRead) -> Columns:
    """What a read of these files yields, partition columns included."""
    return wanted.columns.with_(*(Column(name, STRING) for name in wanted.partitions))


def link_spec(link: Link, directory: Path) -> SourceSpec | TableToRead:
    """A link as something to read.

    Raises:
        ContractError: it names neither a path nor a table.
    """
    if link.table or link.type == "table":
        name = link.table or link.path or ""
        return TableToRead(name, is_name=True)
    if link.path is None:
        raise ContractError(f"link '{link.name}' names neither a path nor a table.")
    location = locate(link.path, directory)
    format_ = link.type or format_of(link.path) or (None if location.is_name else table_format(location.text))
    if format_ in TABLE_FORMATS or location.is_name:
        return TableToRead(location.text, location.is_name, format=format_ or "delta")
    return SourceSpec(location, format_, ReadOptions(), folder=str(directory.absolute()))
