"""A run of one file by `--set source.pattern=…`: which contracts it is meant for."""

from __future__ import annotations

import re
from collections.abc import Mapping
from fnmatch import fnmatchcase
from pathlib import PurePosixPath

from lakelogic.contract import LoadedContract

_GLOB = re.compile(r"[*?\[{]")


def file_asked_for(overrides: Mapping[str, object]) -> str | None:
    """The one file that the overrides name, if they name one and no pattern of several."""
    pattern = overrides.get("source.pattern")
    return str(pattern) if pattern is not None and not _GLOB.search(str(pattern)) else None


def own_pattern_matches(loaded: LoadedContract, file: str) -> bool:
    """Whether a contract, as it was written, reads files of this name."""
    source = loaded.source
    if source is None:
        return False
    pattern = source.pattern or PurePosixPath(source.path or "").name
    return bool(pattern) and fnmatchcase(PurePosixPath(file).name, pattern)
