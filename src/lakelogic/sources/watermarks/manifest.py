"""`watermark_strategy: manifest`: files that a list names, in the order of nothing but the list's own content."""

from __future__ import annotations

import csv
import io
import json
from pathlib import PurePosixPath

from lakelogic.errors import ContractError, SourceError
from lakelogic.formats.bytes import read_head
from lakelogic.plan.locations import locate
from lakelogic.sources.files import Listing, SourceFile
from lakelogic.sources.watermarks.base import Asked, Choice, Watermark, never_read, told_new, watermarks

_KEYS = ("path", "file", "name", "filename")


@watermarks.add("manifest")
class Manifest(Watermark):
    """Reads files that `manifest_path` lists and no succeeded run has read."""

    def choose(self, asked: Asked) -> Choice:
        asked.files("manifest")
        if asked.source.manifest_path is None or asked.listing is None:
            raise ContractError("watermark_strategy manifest needs manifest_path.", cure="Name the file with the list.")
        location = locate(asked.source.manifest_path, asked.folder).text
        listed = _found(location, asked.listing)
        new = never_read(listed, asked.past)
        return Choice(f"{told_new(new, listed, asked.past)}, as listed in {location}", new)


def names_in(text: str, path: str) -> list[str]:
    """The names in a list: a JSON array, a csv with a column path or file, or one to a line.

    Raises:
        SourceError: it is JSON, and not a list of names.
    """
    if path.endswith(".json") or text.lstrip().startswith("["):
        return [_name(entry, path) for entry in _array(text, path)]
    lines = [line.strip() for line in text.splitlines() if line.strip() and not line.lstrip().startswith("#")]
    header = [cell.strip().lower() for cell in next(csv.reader(lines[:1]), [])]
    column = next((header.index(key) for key in _KEYS if key in header), None)
    if column is None:
        return lines
    rows = csv.reader(io.StringIO("\n".join(lines[1:])))
    return [row[column].strip() for row in rows if len(row) > column and row[column].strip()]


def _array(text: str, path: str) -> list[object]:
    try:
        found = json.loads(text)
    except ValueError as error:
        raise SourceError(f"the manifest {path} is no JSON: {error}.", cure="Mend it.") from None
    if isinstance(found, dict):
        found = found.get("files")
    if not isinstance(found, list):
        raise SourceError(f"the manifest {path} holds no list of files.", cure='Write ["a.csv", "b.csv"].')
    return found


def _name(entry: object, path: str) -> str:
    value = next((entry[key] for key in _KEYS if key in entry), None) if isinstance(entry, dict) else entry
    if not isinstance(value, str):
        raise SourceError(f"the manifest {path} has an entry that names no file: {entry!r}.", cure="Give it a path.")
    return value


def _found(manifest: str, listing: Listing) -> tuple[SourceFile, ...]:
    """The listed files. A list that names a file which is not there is not complete, so nothing is read."""
    text = read_head(manifest, None).decode("utf-8-sig")
    there = {file.path: file for file in listing.files}
    found: dict[str, SourceFile] = {}
    for name in names_in(text, manifest):
        path = name.removeprefix("file://") if "://" in name else str(PurePosixPath(listing.root) / name)
        full = name if path not in there and name in there else path
        if full not in there:
            raise SourceError(
                f"{manifest} lists {name}, which the source does not have.",
                cure="Wait for the file, correct the list, or correct source.path.",
            )
        found[full] = there[full]
    return tuple(sorted(found.values()))
