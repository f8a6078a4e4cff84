"""The registry that lists what was found, and entities that are added to one that is there."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from pathlib import Path

from lakelogic.contract.reading import read_yaml
from lakelogic.discover.keeping import marked
from lakelogic.discover.yaml_text import value
from lakelogic.errors import UsageError

_ENTRIES = re.compile(r"^entries\s*:\s*(#.*)?$", re.MULTILINE)
_TOP_KEY = re.compile(r"^[A-Za-z_]", re.MULTILINE)

Contracts = Mapping[str, Mapping[str, Path]]


def registry_text(file: Path, contracts: Contracts, before: str | None) -> str:
    """The registry with an entry for each entity; what is listed in `before` stays as it is.

    Raises:
        UsageError: what is there is no registry that can be added to.
    """
    if before is None:
        return marked("# What the driver runs, layer by layer. Paths are relative to this file.\nentries:\n"
                      + "".join(_entries(file, contracts)))  # fmt: skip
    listed = _listed(before, file)
    text = before
    for name, layers in contracts.items():
        if name in listed:
            missing = {layer: path for layer, path in layers.items() if layer not in listed[name]}
            text = _with_layers(text, name, _paths(file, missing))
    added = "".join(_entries(file, {name: layers for name, layers in contracts.items() if name not in listed}))
    return _with(text, added, file) if added else text


def _entries(file: Path, contracts: Contracts) -> Sequence[str]:
    return [_entry(file, name, layers) for name, layers in contracts.items()]


def _entry(file: Path, name: str, layers: Mapping[str, Path]) -> str:
    return f"  - entity: {value(name)}\n    enabled: true\n    contracts:\n{_paths(file, layers)}"


def _paths(file: Path, layers: Mapping[str, Path]) -> str:
    folder = file.absolute().parent
    return "".join(
        f"      {layer}: {value(os.path.relpath(path.absolute(), folder))}\n" for layer, path in layers.items()
    )


def _listed(text: str, file: Path) -> dict[str, set[str]]:
    """The layers of every entity that is listed."""
    written, _ = read_yaml(text, str(file))
    entries = written.get("entries")
    found = [entry for entry in entries if isinstance(entry, dict)] if isinstance(entries, list) else []
    return {str(entry.get("entity")): set(entry.get("contracts") or ()) for entry in found}


def _with_layers(text: str, name: str, added: str) -> str:
    """The text with further layers of an entity, where its entry is written as ours are."""
    entry = re.compile(
        rf"(^  - entity: {re.escape(value(name))}\n(?:    \w.*\n)*    contracts:\n(?:      .*\n)+)", re.MULTILINE
    )
    return entry.sub(lambda found: found[1] + added, text, count=1)


def _with(text: str, added: str, file: Path) -> str:
    """The text with entries at the end of those that it has."""
    begin = _ENTRIES.search(text)
    if begin is None:
        raise UsageError(
            f"'{file}' is no registry with a list of entries.", cure="Name another --registry, or move it away."
        )
    following = _TOP_KEY.search(text, begin.end())
    end = following.start() if following else len(text)
    kept = text[:end].rstrip("\n") + "\n"
    return kept + added + (f"\n{text[end:]}" if following else "")
