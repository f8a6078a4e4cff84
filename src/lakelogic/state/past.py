"""What the runs of a contract have read: computed from its claims, with an index that saves reading them all again."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from lakelogic.errors import StateError
from lakelogic.plan.rows import RowWindow
from lakelogic.sources.files import SourceFile
from lakelogic.state import files
from lakelogic.state.claims import Claim, Claims

# Reading this many lists of input files costs less than writing one of all files.
_BEHIND = 8

_Identity = tuple[str, int, int]


@dataclass(frozen=True)
class _Seen:
    """Files that were read, as of a run; `behind` runs are not in the index."""

    files: frozenset[_Identity] = frozenset()
    through: int = 0
    run_id: str = ""
    behind: int = 0


class RunsBefore:
    """The input of every run that succeeded on a source.

    The index is derived from the claims: where it is missing, damaged, behind, or of another history, they are read.
    """

    def __init__(self, claims: Claims, location: str) -> None:
        self._claims = claims
        self._location = location
        self._index = claims.folder / "seen.json"

    @property
    def is_empty(self) -> bool:
        return not self._seen.files

    @cached_property
    def newest_ns(self) -> int | None:
        return max((modified for _, _, modified in self._seen.files), default=None)

    def has(self, file: SourceFile) -> bool:
        return (file.path, file.size, file.modified_ns) in self._seen.files

    def has_path(self, path: str) -> bool:
        return path in self._paths

    @property
    def paths(self) -> frozenset[str]:
        """The paths of all files that were read."""
        return self._paths

    def window(self, column: str) -> RowWindow | None:
        chosen = (claim.input.rows for claim in self._mine())
        # The end of a range of dates was given, and says nothing of the rows that are there.
        ended = (rows for rows in chosen if rows is not None and rows.high is not None and rows.high_included)
        return next((rows for rows in ended if rows.column.lower() == column.lower()), None)

    @property
    def version(self) -> int | None:
        return self._table.input.version if self._table else None

    @property
    def table_id(self) -> str | None:
        """Which table that version is of."""
        return self._table.input.table_id if self._table else None

    @cached_property
    def _table(self) -> Claim | None:
        whole = (claim for claim in self._mine() if claim.input.rows is None)
        return next((claim for claim in whole if claim.input.version is not None), None)

    def _mine(self) -> Iterator[Claim]:
        """Runs on this source, newest first. One on a slice has moved no watermark."""
        newest = self._claims.newest()
        return (claim for claim in newest if claim.input.location == self._location and claim.input.slice is None)

    def keep(self) -> None:
        """Write the index anew, if it is far behind."""
        seen = self._seen
        if seen.behind >= _BEHIND:
            told = {"through": seen.through, "run_id": seen.run_id, "files": sorted(seen.files)}
            files.put(self._index, told)

    @cached_property
    def _paths(self) -> frozenset[str]:
        return frozenset(path for path, _, _ in self._seen.files)

    @cached_property
    def _seen(self) -> _Seen:
        known = self._indexed()
        found, through, run_id, behind = set(known.files), known.through, known.run_id, 0
        for claim, _ in self._claims.committed(after=known.through):
            through, run_id, behind = claim.sequence, claim.run_id, behind + 1
            # A run on a slice has read parts of files that were read before.
            if claim.input.slice is None:
                found.update((file.path, file.size, file.modified_ns) for file in claim.input.files)
        return _Seen(frozenset(found), through, run_id, behind)

    def _indexed(self) -> _Seen:
        try:
            data = files.get(self._index) or {}
        except StateError:
            data = {}
        through, run_id = data.get("through"), data.get("run_id")
        if not isinstance(through, int) or through <= self._claims.forgotten or self._claims.run_of(through) != run_id:
            return _Seen()
        if through <= self._claims.forgotten:
            return _Seen()
        listed = frozenset((path, size, modified) for path, size, modified in data["files"])
        return _Seen(listed, through, str(run_id))
