"""Opening files, here or in an object store."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from lakelogic.errors import SourceError, first_line

if TYPE_CHECKING:
    from pyarrow import NativeFile

_SCHEME = re.compile(r"^[a-zA-Z][a-zA-Z0-9+.-]+://")
# As much of a text as tells its form; a header is rarely longer.
HEAD_BYTES = 1 << 20
BUFFER_BYTES = 1 << 20


def is_uri(path: str) -> bool:
    """Whether a path is an address with a scheme."""
    return _SCHEME.match(path) is not None


def open_file(path: str) -> NativeFile:
    """A file to read at any place, for formats with a footer.

    Raises:
        SourceError: it can't be opened.
    """
    system, plain = _system(path)
    try:
        return system.open_input_file(plain)
    except OSError as error:
        raise SourceError(f"can't read {path}: {first_line(error)}") from None


def open_bytes(path: str) -> NativeFile:
    """The bytes of a file from its beginning, decompressed as its ending says.

    Raises:
        SourceError: it can't be opened.
    """
    system, plain = _system(path)
    try:
        return system.open_input_stream(plain, compression="detect", buffer_size=BUFFER_BYTES)
    except OSError as error:
        raise SourceError(f"can't read {path}: {first_line(error)}") from None


def read_head(path: str, limit: int | None = HEAD_BYTES) -> bytes:
    """The beginning of a file, or all of it, decompressed as its ending says.

    Raises:
        SourceError: it can't be read.
    """
    system, plain = _system(path)
    try:
        with system.open_input_stream(plain, compression="detect") as stream:
            return bytes(stream.read() if limit is None else stream.read(limit))
    except OSError as error:
        raise SourceError(f"can't read {path}: {first_line(error)}") from None


def _system(path: str):  # type: ignore[no-untyped-def]  # pyarrow has no types
    from pyarrow.fs import FileSystem, LocalFileSystem

    return FileSystem.from_uri(path) if is_uri(path) else (LocalFileSystem(), path)
