"""Text that engines would read in different ways, found before a row of it is judged."""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator

from lakelogic.errors import SourceError
from lakelogic.formats.base import ReadOptions
from lakelogic.formats.bytes import HEAD_BYTES, open_bytes, read_head
from lakelogic.formats.encodings import known_encoding, not_text

_BLOCK_BYTES = 8 << 20
_WIDE = ("utf-16", "utf-32")


def refuse_wrong_bytes(path: str, encoding: str) -> None:
    """
    Raises:
        SourceError: a part of the file, however far behind, is not in the encoding that its source declares.
    """
    if len(read_head(path)) < HEAD_BYTES:
        # Whoever told its columns has decoded all of it.
        return
    decoder = codecs.getincrementaldecoder(known_encoding(encoding))()
    try:
        for block in _blocks(path):
            decoder.decode(block)
        decoder.decode(b"", final=True)
    except UnicodeDecodeError:
        raise not_text(path, encoding) from None


def refuse_mixed_ends(path: str, options: ReadOptions) -> None:
    """
    Raises:
        SourceError: a carriage return ends a line, and not the first: Spark takes it for a part of the value.
    """
    if options.multiline is False or known_encoding(options.encoding).startswith(_WIDE):
        return
    head = read_head(path)
    first = re.search(rb"\r\n|\r|\n", head)
    if first is None or first[0] == b"\r":
        return
    usual = first[0].removesuffix(b"\n")
    blocks = [head] if len(head) < HEAD_BYTES else _blocks(path)
    if any(_has_stray(block, usual) for block in blocks) and (line := _stray_line(path, usual, options)):
        raise SourceError(
            f"line {line} of {path} ends in another way than the first one, which readers of csv understand in"
            " different ways.",
            cure="Give all lines one ending, or set 'source: {options: {multiline: false}}' if no value holds one.",
        )


def _has_stray(block: bytes, usual: bytes) -> bool:
    """Whether there is a carriage return that is no part of a line end of the usual kind; it may stand in quotes."""
    return b"\r" in block and (not usual or block.count(b"\r") > block.count(b"\r\n"))


def _stray_line(path: str, usual: bytes, options: ReadOptions) -> int | None:
    """The line that ends in a carriage return outside of quotes, unlike the others."""
    quote = options.quote.encode()
    stray = rb"\r(?!\n)" if usual else rb"\r"
    wanted = re.compile(b"|".join([re.escape(quote), stray]) if quote else stray)
    inside, lines = False, 1
    for block in _blocks(path):
        for found in wanted.finditer(block):
            if found[0] == quote:
                inside = not inside
            elif not inside:
                return lines + block.count(b"\n", 0, found.start())
        lines += block.count(b"\n")
    return None


def _blocks(path: str) -> Iterator[bytes]:
    """The bytes of a file; a carriage return stands in one block with what follows it."""
    held = b""
    with open_bytes(path) as stream:
        while block := held + stream.read(_BLOCK_BYTES):
            held = b"\r" if block.endswith(b"\r") and block != held else b""
            yield block[:-1] if held else block
