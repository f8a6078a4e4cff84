"""Quotes in csv files: where quoted values end, and those that readers understand in different ways."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from lakelogic.engines.duckdb.text_files import as_text, encoding_of
from lakelogic.errors import SourceError
from lakelogic.formats.base import ReadOptions
from lakelogic.formats.bytes import open_bytes
from lakelogic.formats.encodings import not_text

if TYPE_CHECKING:
    from pyarrow import NativeFile

_BLOCK_BYTES = 8 << 20
_WIDE = ("utf-16", "utf-32")


def refuse_torn(path: str, options: ReadOptions) -> None:
    """
    Raises:
        SourceError: something follows a closing quote, such as `"a"b`: Spark keeps the quotes, others drop them.
    """
    if not options.quote or _is_plain(path, options):
        return
    inside = False
    try:
        with open_bytes(path) as stream:
            for number, line in enumerate(as_text(stream, options.encoding), 1):
                inside, torn = _followed(line, options, inside)
                if torn:
                    raise SourceError(
                        f"line {number} of {path} has text after a closing {options.quote}, which readers of csv"
                        " understand in different ways.",
                        cure="Double the quotes inside of the value, or run with --engine spark.",
                    )
    except UnicodeDecodeError:
        raise not_text(path, options.encoding) from None


def without_comments(lines: Iterable[str], options: ReadOptions) -> Iterator[str]:
    """The lines that are no comments; inside of a quoted value there are none."""
    inside = False
    for line in lines:
        if inside or not line.startswith(options.comment or "\n"):
            inside, _ = _followed(line, options, inside)
            yield line


def _is_plain(path: str, options: ReadOptions) -> bool:
    """Whether quotes open and close values by turns, each beside a delimiter, a line end or a quote: told quickly."""
    if encoding_of(options.encoding).startswith(_WIDE) or len(options.delimiter) > 1:
        return False
    quote = options.quote.encode()
    opens, last = True, b"\n"
    with open_bytes(path) as stream:
        blocks = _blocks(stream)
        block = next(blocks, b"")
        while block:
            following = next(blocks, b"")
            if quote in block:
                turns = _turns(last + block + (following[:1] or b"\n"), quote, options.delimiter.encode(), opens)
                if turns is None:
                    return False
                opens = opens != bool(turns % 2)
            last, block = block[-1:], following
    return True


def _turns(block: bytes, quote: bytes, delimiter: bytes, opens: bool) -> int | None:
    """How many quotes are between the first and the last byte; None where one is not in its place."""
    import numpy as np

    text = np.frombuffer(block, np.uint8)
    places = np.flatnonzero(text[1:-1] == quote[0])
    fits = np.zeros(256, bool)
    fits[[*quote, *delimiter, *b"\r\n"]] = True
    # By turns: one that opens is told by what stands before it, one that closes by what stands behind.
    opening, closing = places[int(not opens) :: 2], places[int(opens) :: 2]
    return len(places) if fits[text[opening]].all() and fits[text[closing + 2]].all() else None


def _blocks(stream: NativeFile) -> Iterator[bytes]:
    while block := stream.read(_BLOCK_BYTES):
        yield block


def _followed(line: str, options: ReadOptions, inside: bool) -> tuple[bool, bool]:
    """Whether a quoted value goes on after this line, and whether one in it is followed by other text."""
    quote, delimiter, place = options.quote, options.delimiter, 0
    while quote and place < len(line):
        if not inside and not line.startswith(quote, place):
            place = line.find(delimiter, place) + 1 or len(line)
            continue
        end = line.find(quote, place if inside else place + 1)
        while end >= 0 and line.startswith(quote, end + 1):
            end = line.find(quote, end + 2)
        if end < 0:
            return True, False
        inside, place = False, end + 1
        if place < len(line) and not line.startswith((delimiter, "\n"), place):
            return False, True
        place += 1
    return inside, False
