"""Paths and catalog names: telling them apart, and what they say about a dataset."""

from __future__ import annotations

import re

FORMAT_OF_ENDING = {
    "csv": "csv",
    "tsv": "csv",
    "txt": "csv",
    "json": "json",
    "jsonl": "json",
    "ndjson": "json",
    "parquet": "parquet",
    "orc": "orc",
    "delta": "delta",
    "avro": "avro",
    "xml": "xml",
    "xlsx": "excel",
    "xls": "excel",
}
_COMPRESSIONS = ("gz", "bz2", "zst", "zip", "snappy", "lz4")
_IDENTIFIER = r"(?:`[^`/]+`|[\w{}$-]+)"
_TABLE_NAME = re.compile(rf"{_IDENTIFIER}(?:\.{_IDENTIFIER}){{1,3}}")


def is_table_name(text: str) -> bool:
    """Whether a target or source is a catalog name such as `silver.customers`, not a path."""
    return _TABLE_NAME.fullmatch(text) is not None and format_of(text) is None


def format_of(path: str) -> str | None:
    """The format that a path's ending names, also under a compression's ending."""
    parts = path.rstrip("/").rsplit("/", 1)[-1].lower().split(".")
    while len(parts) > 1 and parts[-1] in _COMPRESSIONS:
        parts.pop()
    return FORMAT_OF_ENDING.get(parts[-1]) if len(parts) > 1 else None


def name_parts(target: str) -> list[str]:
    """The parts of a catalog name or path, without quotes, scheme and file ending."""
    if is_table_name(target):
        return [part.strip("`") for part in re.findall(_IDENTIFIER, target)]
    parts = [
        part for part in re.sub(r"^[A-Za-z][A-Za-z0-9+.-]*:", "", target).split("/") if part not in ("", ".", "..")
    ]
    if parts and format_of(parts[-1]):
        parts[-1] = parts[-1].split(".", 1)[0] or parts[-1]
    return parts
