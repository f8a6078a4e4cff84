"""Encodings of text, by any name that Python knows."""

from __future__ import annotations

import codecs

from lakelogic.errors import SourceError


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
