"""Bytes as text, in any encoding."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING, TextIO, cast

from lakelogic.formats.bytes import BUFFER_BYTES
from lakelogic.formats.encodings import known_encoding

if TYPE_CHECKING:
    from pyarrow import NativeFile


def as_text(stream: NativeFile, encoding: str) -> TextIO:
    """A stream as text; a line may end in any of the usual ways."""
    buffered = io.BufferedReader(cast("io.RawIOBase", stream), BUFFER_BYTES)
    return io.TextIOWrapper(buffered, encoding=encoding_of(encoding))


def encoding_of(name: str) -> str:
    """Python's name of an encoding; a mark at the beginning of a text is no part of it.

    Raises:
        SourceError: nobody knows it.
    """
    known = known_encoding(name)
    return "utf-8-sig" if known == "utf-8" else known
