"""Files that a source matches: listed once, told apart by path, size and time."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from fnmatch import fnmatchcase
from operator import attrgetter
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import unquote

from lakelogic.errors import SourceError
from lakelogic.formats.bytes import is_uri

if TYPE_CHECKING:
    from pyarrow.fs import FileSystem

_GLOB = re.compile(r"[*?\[{]")
_PATH = attrgetter("path")
_SCHEME = re.compile(r"^[a-zA-Z][a-zA-Z0-9+.-]+://")


@dataclass(frozen=True, order=True)
class SourceFile:
    """One file; its identity changes when its content does."""

    path: str
    size: int
    modified_ns: int

    @property
    def identity(self) -> str:
        return f"{self.path}|{self.size}|{self.modified_ns}"


@dataclass(frozen=True)
class Listing:
    """The files that match, and the folder below which partition folders (`day=2026-01-01`) count."""

    root: str
    files: tuple[SourceFile, ...]

    def partition_names(self) -> tuple[str, ...]:
        """Names of hive-style partition columns, in order.

        Raises:
            SourceError: files lie in partition folders of different names, or some in none.
        """
        found = [(self._partition_path(file), file) for file in self.files]
        for path, file in found:
            if path != found[0][0]:
                raise SourceError(
                    f"{file.path} is not in the same partition folders as {found[0][1].path}.",
                    cure="Move it, or name only one of them by a pattern.",
                )
        return found[0][0][1] if found else ()

    def below(self, file: SourceFile) -> str:
        """Where a file lies, from the root on."""
        return _below(file.path, self.root)

    def values(self, file: SourceFile) -> dict[str, str]:
        """The values that the names of a file's folders tell, by names in lower case."""
        named = (part.split("=", 1) for part in self.below(file).split("/")[:-1] if "=" in part)
        return {name.lower(): unquote(value) for name, value in named}

    def _partition_path(self, file: SourceFile) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """The folders above the first partition, which must be the same for all files, and the partitions' names."""
        parts = tuple(_below(file.path, self.root).split("/")[:-1])
        names = tuple(part.split("=", 1)[0] for part in parts if "=" in part)
        return (parts[: -len(names)] if names else (), names)


def list_files(path: str, pattern: str | None = None, folder: str = "") -> Listing:
    """All data files of a file, folder or glob; `pattern` narrows a folder by file name.

    Where the path lies in `folder`, that part of it is no glob, whatever it is called. Hidden files, checksums and markers such as `_SUCCESS` are not data.

    Raises:
        SourceError: the place can't be listed.
    """
    system, plain = _open(path)
    root, glob = _split_glob(plain, folder)
    entries = list(_entries(system, root))
    if not glob and len(entries) == 1 and entries[0].path == root:
        _refuse_hidden(root)
        return Listing(_uri(path, root.rpartition("/")[0]), (_named(path, entries[0]),))
    matcher = _matcher(glob) if glob else None
    below = ((entry, _below(entry.path, root)) for entry in entries)
    kept = [
        entry
        for entry, relative in below
        if _is_data(relative)
        and (matcher is None or matcher.match(relative))
        and (pattern is None or fnmatchcase(entry.path.rpartition("/")[2], pattern))
    ]
    return Listing(_uri(path, root), tuple(sorted((_named(path, entry) for entry in kept), key=_PATH)))


def root_of(path: str, folder: str = "") -> str:
    """The folder below which the files of a local path or glob lie."""
    root, glob = _split_glob(path.rstrip("/") or "/", folder)
    return root if glob or Path(root).is_dir() else root.rpartition("/")[0]


def _open(path: str) -> tuple[FileSystem, str]:
    from pyarrow.fs import FileSystem, LocalFileSystem

    if not is_uri(path):
        return LocalFileSystem(), path.rstrip("/") or "/"
    try:
        system, plain = FileSystem.from_uri(path if not _GLOB.search(path) else path[: _GLOB.search(path).start()])  # type: ignore[union-attr]
    except (OSError, ValueError, NotImplementedError) as error:
        raise SourceError(f"can't open {path}: {error}", cure="Check the address and its credentials.") from None
    match = _GLOB.search(path)
    return system, (plain + path[match.start() :]) if match else plain.rstrip("/")


def _split_glob(path: str, folder: str) -> tuple[str, str]:
    """The folder to list, and the glob below it."""
    match = _GLOB.search(path, len(folder) if path.startswith(folder) else 0)
    if match is None:
        return path, ""
    root = path[: match.start()].rpartition("/")[0]
    return root or "/", path[len(root) + 1 :] if root else path.lstrip("/")


def _entries(system: FileSystem, root: str) -> Iterable[SourceFile]:
    from pyarrow.fs import FileSelector, FileType

    try:
        info = system.get_file_info(root)
        if info.type == FileType.NotFound:
            return
        found = [info] if info.type == FileType.File else system.get_file_info(FileSelector(root, recursive=True))
    except OSError as error:
        raise SourceError(f"can't list {root}: {error}") from None
    for entry in found:
        if entry.type == FileType.File:
            yield SourceFile(entry.path, entry.size or 0, entry.mtime_ns or 0)


def _is_data(relative: str) -> bool:
    """Spark's own rule: names that begin with `_` or `.` are not data, unless they are partitions (`_day=1`)."""
    return not any(part.startswith(("_", ".")) and "=" not in part for part in relative.split("/"))


def _refuse_hidden(path: str) -> None:
    if not _is_data(path.rpartition("/")[2]):
        raise SourceError(f"{path} begins with '_' or '.', so it is no data file.", cure="Rename it.")


def _below(path: str, root: str) -> str:
    plain_root = root.split("://", 1)[-1].rstrip("/")
    plain_path = path.split("://", 1)[-1]
    return plain_path[len(plain_root) :].lstrip("/") if plain_path.startswith(plain_root) else plain_path


def _matcher(glob: str) -> re.Pattern[str]:
    """A glob as a pattern: `*` and `?` stay within a folder, `**` crosses folders, `{a,b}` is a choice.

    A folder that matches stands for the files below it, as in Spark.
    """
    out, i, depth = [], 0, 0
    while i < len(glob):
        char = glob[i]
        if glob.startswith("**/", i):
            out.append("(?:.*/)?")
            i += 3
            continue
        if glob.startswith("**", i):
            out.append(".*")
            i += 2
            continue
        if char == "[" and (end := glob.find("]", i + 2)) > 0:
            body = glob[i + 1 : end].replace("\\", r"\\")
            out.append(f"[{'^' + body[1:] if body[0] in '!^' else body}]")
            i = end + 1
            continue
        if char == "{":
            depth += 1
        if char == "}":
            depth -= 1
        special = {"*": "[^/]*", "?": "[^/]", "{": "(?:", "}": ")"}
        out.append("|" if char == "," and depth else special.get(char, re.escape(char)))
        i += 1
    return re.compile("".join(out) + "(?=/|$)")


def _named(path: str, entry: SourceFile) -> SourceFile:
    return SourceFile(_uri(path, entry.path), entry.size, entry.modified_ns)


def _uri(path: str, plain: str) -> str:
    match = _SCHEME.match(path)
    if match is None or match.group(0) == "file://":
        return plain
    return match.group(0) + plain
