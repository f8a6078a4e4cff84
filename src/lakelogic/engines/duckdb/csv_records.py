"""csv files as record batches: every value a text, and rows of another length kept as they were written."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from lakelogic.engines.duckdb.csv_quotes import without_comments
from lakelogic.engines.duckdb.text_files import as_text, encoding_of
from lakelogic.errors import SourceError, first_line
from lakelogic.formats.base import ReadOptions
from lakelogic.formats.bytes import open_bytes, read_head
from lakelogic.formats.encodings import not_text
from lakelogic.plan.names import MALFORMED

if TYPE_CHECKING:
    import pyarrow as pa

_BLOCK_BYTES = 8 << 20
_HEAD_BYTES = 64 << 10


def csv_batches(path: str, names: list[str], options: ReadOptions) -> Iterator[pa.RecordBatch]:
    """The rows of one file, with a column for the text of those that are malformed.

    Raises:
        SourceError: the file can't be read, or is not in the encoding that the contract names.
    """
    from pyarrow import ArrowInvalid
    from pyarrow.csv import open_csv

    if not names:
        return
    malformed: list[str] = []
    head = _Head.of(path, options)
    try:
        with open_bytes(path) as stream:
            source = _Uncommented(as_text(stream, options.encoding), options) if options.comment else stream
            reader = open_csv(source, _layout(names, head, options), *_meaning(names, options, malformed.append))
            for batch in reader:
                yield _judged(batch, head)
                if malformed:
                    yield _malformed(malformed, names, head, options)
                    malformed.clear()
        if malformed:
            yield _malformed(malformed, names, head, options)
    except UnicodeDecodeError:
        raise not_text(path, options.encoding) from None
    except (ArrowInvalid, OSError) as error:
        if "UTF8" in str(error):
            raise not_text(path, options.encoding) from None
        raise SourceError(f"can't read {path}: {first_line(error)}") from None


@dataclass(frozen=True)
class _Head:
    """What the beginning of a file tells of its lines."""

    blank_lines: int
    line_end: str

    @staticmethod
    def of(path: str, options: ReadOptions) -> _Head:
        text = read_head(path, _HEAD_BYTES).decode(encoding_of(options.encoding), errors="ignore")
        filled = text.lstrip("\r\n")
        blank = text[: len(text) - len(filled)]
        first = re.search(r"\r\n|\r|\n", text)
        return _Head(len(blank.splitlines()), first[0] if first else "\n")


def _layout(names: list[str], head: _Head, options: ReadOptions) -> Any:
    from pyarrow.csv import ReadOptions as Layout

    return Layout(
        column_names=names,
        # Lines that are skipped count also when they are blank, and those of a header do not.
        skip_rows=0 if options.comment else head.blank_lines,
        skip_rows_after_names=int(options.header),
        block_size=_BLOCK_BYTES,
        encoding="utf8" if options.comment else encoding_of(options.encoding).removesuffix("-sig"),
    )


def _meaning(names: list[str], options: ReadOptions, keep: Callable[[str], None]) -> tuple[Any, Any]:
    """How text becomes rows: a quote inside quotes is doubled, an empty value or one that means NULL is NULL."""
    import pyarrow as pa
    from pyarrow.csv import ConvertOptions, ParseOptions

    def skipped(row: Any) -> str:
        keep(row.text)
        return "skip"

    parsing = ParseOptions(
        delimiter=options.delimiter,
        quote_char=options.quote or False,
        newlines_in_values=options.multiline is not False,
        invalid_row_handler=skipped,
    )
    return parsing, ConvertOptions(
        column_types=dict.fromkeys(names, pa.string()),
        strings_can_be_null=True,
        null_values=sorted(_nothing(options)),
        quoted_strings_can_be_null=True,
    )


def _judged(batch: pa.RecordBatch, head: _Head) -> pa.RecordBatch:
    """Rows that are well-formed; a line end inside a value is always one character."""
    import pyarrow as pa

    columns = batch.columns
    if head.line_end == "\r\n":
        import pyarrow.compute as pc

        columns = [pc.replace_substring(column, "\r\n", "\n") for column in columns]
    nothing = pa.nulls(batch.num_rows, pa.string())
    return pa.RecordBatch.from_arrays([*columns, nothing], [*batch.schema.names, MALFORMED.name])


def _malformed(texts: list[str], names: list[str], head: _Head, options: ReadOptions) -> pa.RecordBatch:
    """Rows with too few or too many values: those that they have, and their text."""
    import pyarrow as pa

    rows = [_values(text.replace("\r\n", "\n") if head.line_end == "\r\n" else text, options) for text in texts]
    columns = [[row[i] if i < len(row) else None for row in rows] for i in range(len(names))]
    return pa.RecordBatch.from_arrays([pa.array(c, pa.string()) for c in (*columns, texts)], [*names, MALFORMED.name])


def _values(text: str, options: ReadOptions) -> list[str | None]:
    reader = csv.reader(
        io.StringIO(text, newline=""),
        delimiter=options.delimiter,
        quotechar=options.quote or None,
        quoting=csv.QUOTE_MINIMAL if options.quote else csv.QUOTE_NONE,
    )
    nothing = _nothing(options)
    return [None if value in nothing else value for value in next(reader, [])]


def _nothing(options: ReadOptions) -> set[str]:
    """Texts that mean NULL. Told here and not in SQL, where they would be a condition for each of many columns."""
    return {"", *options.null_values}


class _Uncommented(io.RawIOBase):
    """The same text in UTF-8 without lines that are comments."""

    def __init__(self, lines: Iterable[str], options: ReadOptions) -> None:
        self._kept = without_comments(lines, options)
        self._left = b""

    def readable(self) -> bool:
        return True

    def read(self, size: int = -1) -> bytes:
        while len(self._left) < size or size < 0:
            line = next(self._kept, None)
            if line is None:
                break
            self._left += line.encode()
        taken, self._left = (self._left, b"") if size < 0 else (self._left[:size], self._left[size:])
        return taken
