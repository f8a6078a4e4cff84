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
_ODD = {b"\n": rb"\r", b"\r": rb"\r?\n", b"\r\n": rb"\r(?!\n)|(?<!\r)\n"}


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
        SourceError: a line ends in another way than the first: Spark takes such an end for a part of the value.
    """
    if options.multiline is False or known_encoding(options.encoding).startswith(_WIDE):
        return
    head = read_head(path)
    first = re.search(rb"\r\n|\r|\n", head)
    if first is None:
        return
    blocks = [head] if len(head) < HEAD_BYTES else _blocks(path)
    if any(_is_mixed(block, first[0]) for block in blocks) and (line := _odd_line(path, first[0], options)):
        raise SourceError(
            f"line {line} of {path} ends in another way than the first one, which readers of csv understand in"
            " different ways.",
            cure="Give all lines one ending, or set 'source: {options: {multiline: false}}' if no value holds one.",
        )


def _is_mixed(block: bytes, usual: bytes) -> bool:
    """Whether there is a line end of another kind than the usual one; it may stand in quotes."""
    if usual != b"\r\n":
        return (b"\r" if usual == b"\n" else b"\n") in block
    pairs = block.count(b"\r\n")
    return block.count(b"\r") != pairs or block.count(b"\n") != pairs


def _odd_line(path: str, usual: bytes, options: ReadOptions) -> int | None:
    """The first line that ends in another way than usual, outside of quotes."""
    inside, lines = False, 1
    for block in _blocks(path):
        outside, goes_on = _outside(block, options, inside)
        if _is_mixed(outside, usual):
            found = re.search(_ODD[usual], outside)
            return lines + block.count(usual[-1:], 0, found.start() if found else 0)
        lines, inside = lines + block.count(usual[-1:]), goes_on
    return None


def _outside(block: bytes, options: ReadOptions, inside: bool) -> tuple[bytes, bool]:
    """The block with other characters in place of those in quotes, which open only where a value begins.

    And whether its end stands inside of quotes, up to which it is given then.
    """
    quote = re.escape(options.quote.encode())
    if not quote:
        return block, False
    rest = rb"[^%b]*(?:%b%b[^%b]*)*%b" % (quote, quote, quote, quote, quote)
    if inside:
        closed = re.match(rest, block)
        if closed is None:
            return b"", True
        block = _hidden(closed) + block[closed.end() :]
    opening = rb"(?<![^%b\r\n])%b" % (re.escape(options.delimiter.encode()), quote)
    plain = re.sub(opening + rest, _hidden, block)
    opened = re.search(opening, plain)
    return (plain[: opened.start()], True) if opened else (plain, False)


def _hidden(found: re.Match[bytes]) -> bytes:
    return b"x" * len(found[0])


def _blocks(path: str) -> Iterator[bytes]:
    """The bytes of a file; a carriage return stands in one block with what follows it."""
    held = b""
    with open_bytes(path) as stream:
        while block := held + stream.read(_BLOCK_BYTES):
            held = b"\r" if block.endswith(b"\r") and block != held else b""
            yield block[:-1] if held else block
