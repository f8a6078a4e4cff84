"""What a file format is: how the columns of its files are told without reading their rows."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import ClassVar, Protocol

from lakelogic.errors import SourceError
from lakelogic.registry import Registry
from lakelogic.sql.types import STRING, Column, Columns, is_unknown, type_name

formats: Registry[type[FileFormat]] = Registry("format", "lakelogic.formats")


class DataFile(Protocol):
    """A file as far as a format cares."""

    @property
    def path(self) -> str: ...
    @property
    def size(self) -> int: ...


@dataclass(frozen=True)
class ReadOptions:
    """How files are written, as far as their format leaves it open."""

    delimiter: str = ","
    quote: str = '"'
    header: bool = True
    encoding: str = "utf-8"
    null_values: tuple[str, ...] = ("",)
    comment: str | None = None
    multiline: bool | None = None


@dataclass(frozen=True)
class Layout:
    """Files that share one set of columns, in file order."""

    columns: Columns
    files: tuple[str, ...]


@dataclass(frozen=True)
class Shape:
    """The columns of all files together, the layouts they come in, and the number of rows where files tell it."""

    columns: Columns
    layouts: tuple[Layout, ...]
    rows: int | None = None


class FileFormat(ABC):
    """A kind of file. Its columns come from headers or footers; a self-describing text such as json needs an engine."""

    may_be_malformed: ClassVar[bool] = False
    tells_positions: ClassVar[bool] = False
    needs_engine: ClassVar[bool] = False

    @abstractmethod
    def columns(self, path: str, options: ReadOptions) -> tuple[Columns, int | None]:
        """The columns of one file, and its number of rows where it tells it.

        Raises:
            SourceError: the file can't be read.
        """

    def guess(self, files: Sequence[DataFile], options: ReadOptions) -> Columns | None:
        """The columns of files whose format needs an engine, where few bytes tell them; None elsewhere."""
        return self.shape(files, options).columns

    def shape(self, files: Iterable[DataFile], options: ReadOptions) -> Shape:
        """The columns of all files together.

        Raises:
            SourceError: a file can't be read, or names a column twice.
        """
        paths = [file.path for file in files if file.size]
        with ThreadPoolExecutor(max_workers=8) as pool:
            told = list(pool.map(lambda path: self.columns(path, options), paths))
        groups: dict[tuple[tuple[str, str], ...], tuple[Columns, list[str]]] = {}
        for path, (columns, _) in zip(paths, told, strict=True):
            key = tuple((column.name, type_name(column.type)) for column in columns)
            groups.setdefault(key, (columns, []))[1].append(path)
        layouts = tuple(Layout(columns, tuple(group)) for columns, group in groups.values())
        for layout in layouts:
            refuse_repeated(layout.files[0], layout.columns)
        counts = [rows for _, rows in told if rows is not None]
        return Shape(union_of(layouts), layouts, sum(counts) if len(counts) == len(told) else None)


def union_of(layouts: Sequence[Layout]) -> Columns:
    """All columns in order of first sight; one that has two types in two files is read as text."""
    merged: dict[str, Column] = {}
    for layout in layouts:
        for column in layout.columns:
            known = merged.setdefault(column.name.lower(), column)
            if type_name(known.type) != type_name(column.type) or is_unknown(column.type):
                merged[column.name.lower()] = Column(known.name, STRING)
    return Columns(tuple(merged.values()))


def refuse_repeated(where: str, columns: Columns) -> None:
    """
    Raises:
        SourceError: two columns have one name, or names that differ in case only.
    """
    seen: dict[str, str] = {}
    for name in columns.names:
        if (other := seen.get(name.lower())) is not None:
            cased = f"columns '{other}' and '{name}', which differ in case only"
            what = f"column '{name}' twice" if other == name else cased
            raise SourceError(f"{where} has {what}.", cure="Rename one of them at the source.")
        seen[name.lower()] = name
