"""Text files, here or in an object store, in any encoding."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING, TextIO, cast

from lakelogic.errors import SourceError
from lakelogic.formats.bytes import first_line, is_uri
from lakelogic.formats.encodings import known_encoding

if TYPE_CHECKING:
    from pyarrow import NativeFile

_BUFFER_BYTES = 1 << 20


def open_bytes(path: str) -> NativeFile:
    """The bytes of a file from its beginning, decompressed as its ending says.

    Raises:
        SourceError: it can't be opened.
    """
    from pyarrow.fs import FileSystem, LocalFileSystem

    try:
        system, plain = FileSystem.from_uri(path) if is_uri(path) else (LocalFileSystem(), path)
        return system.open_input_stream(plain, compression="detect", buffer_size=_BUFFER_BYTES)
    except OSError as error:
        raise SourceError(f"can't read {path}: {first_line(error)}") from None


def as_text(stream: NativeFile, encoding: str) -> TextIO:
    """A stream as text; a line may end in any of the usual ways."""
    buffered = io.BufferedReader(cast("io.RawIOBase", stream), _BUFFER_BYTES)
    return io.TextIOWrapper(buffered, encoding=encoding_of(encoding))


def encoding_of(name: str) -> str:
    """Python's name of an encoding; a mark at the beginning of a text is no part of it.

    Raises:
        SourceError: nobody knows it.
    """
    known = known_encoding(name)
    return "utf-8-sig" if known == "utf-8" else known
