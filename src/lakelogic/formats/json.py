"""JSON: lines, or one document in a file."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence

from lakelogic.formats.base import DataFile, FileFormat, ReadOptions, formats
from lakelogic.formats.bytes import HEAD_BYTES, read_head
from lakelogic.formats.encodings import text_head
from lakelogic.sql.types import Column, Columns

# More than this is for an engine to look through.
_BUDGET = 4 << 20


@formats.add("json")
class Json(FileFormat):
    """Objects, one a line or in an array; their columns are known only when all of them were looked at."""

    may_be_malformed = True
    needs_engine = True

    def columns(self, path: str, options: ReadOptions) -> tuple[Columns, int | None]:
        names: dict[str, None] = {}
        for record in _records(read_head(path, None).decode("utf-8-sig", errors="replace")):
            names.update(dict.fromkeys(record))
        return Columns(tuple(Column(name) for name in names)), None

    def guess(self, files: Sequence[DataFile], options: ReadOptions) -> Columns | None:
        if sum(file.size for file in files) > _BUDGET:
            return None
        merged: dict[str, Column] = {}
        for file in files:
            for column in self.columns(file.path, options)[0]:
                merged.setdefault(column.name, column)
        return Columns(tuple(merged.values()))


def is_document(path: str, options: ReadOptions) -> bool:
    """Whether a file is one document (an array, or an object over several lines) rather than lines.

    Raises:
        SourceError: it is not in the encoding that the contract names.
    """
    head = text_head(path, options.encoding).lstrip()
    if options.multiline is not None:
        return options.multiline
    if head.startswith("["):
        return True
    first = head.split("\n", 1)[0].strip()
    if not first.startswith("{") or len(head) >= HEAD_BYTES or _parsed(first) is not None:
        return False
    # A broken first line of many is a bad row; a first line that opens an object alone is a document.
    return first == "{" or (not first.endswith("}") and head.rstrip().endswith("}") and _parsed(head) is not None)


def _records(text: str) -> Iterator[dict[str, object]]:
    """The objects of a text. Malformed records have no names: whoever reads the rows tells of them."""
    whole = _parsed(text)
    if whole is None:
        whole = [_parsed(line) for line in text.splitlines()]
    for record in whole if isinstance(whole, list) else [whole]:
        if isinstance(record, dict):
            yield record


def _parsed(text: str) -> object:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None
