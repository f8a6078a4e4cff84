"""Delimited text: columns from the first line, every one a string."""

from __future__ import annotations

import csv
import io

from lakelogic.formats.base import FileFormat, ReadOptions, formats
from lakelogic.formats.encodings import text_head
from lakelogic.sql.types import STRING, Column, Columns


@formats.add("csv")
class Csv(FileFormat):
    """Text with a delimiter between values; a value may be quoted."""

    may_be_malformed = True

    def columns(self, path: str, options: ReadOptions) -> tuple[Columns, int | None]:
        return Columns(tuple(Column(name, STRING) for name in _names(path, options))), None


def _names(path: str, options: ReadOptions) -> list[str]:
    lines = io.StringIO(text_head(path, options.encoding), newline="")
    rows = csv.reader(
        lines,
        delimiter=options.delimiter,
        quotechar=options.quote or None,
        quoting=csv.QUOTE_MINIMAL if options.quote else csv.QUOTE_NONE,
    )
    first = next((row for row in rows if row and not _is_comment(row, options)), [])
    if not options.header:
        return [f"_c{position}" for position in range(len(first))]
    return [name if name.strip() else f"_c{position}" for position, name in enumerate(first)]


def _is_comment(row: list[str], options: ReadOptions) -> bool:
    return options.comment is not None and row[0].startswith(options.comment)
