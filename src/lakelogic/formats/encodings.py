"""Encodings of text, by any name that Python knows."""

from __future__ import annotations

import codecs

from lakelogic.errors import SourceError
from lakelogic.formats.bytes import HEAD_BYTES, read_head


def known_encoding(name: str) -> str:
    """The usual name of an encoding.

    Raises:
        SourceError: nobody knows it.
    """
    try:
        # Some codecs, such as hex, are of bytes: they are found, and refuse text.
        " ".encode(name)
        return codecs.lookup(name).name
    except LookupError:
        raise SourceError(f"encoding '{name}' is unknown.", cure="Use utf-8, latin1, cp1252 or the like.") from None


def not_text(path: str, encoding: str) -> SourceError:
    """What to say of a file that is not in the encoding that its source declares."""
    return SourceError(
        f"{path} is not {encoding} text.", cure="Name its encoding: 'source: {options: {encoding: latin1}}'."
    )


def text_head(path: str, encoding: str) -> str:
    """The beginning of a text file, without the mark that some put before it.

    Raises:
        SourceError: it can't be read, or is not in this encoding.
    """
    head = read_head(path)
    try:
        # A character may be cut at the end of what was read.
        text = codecs.getincrementaldecoder(known_encoding(encoding))().decode(head, len(head) < HEAD_BYTES)
    except UnicodeDecodeError:
        raise not_text(path, encoding) from None
    return text.removeprefix("\ufeff")
