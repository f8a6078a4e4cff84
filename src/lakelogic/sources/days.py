"""The days that a run is about: files of other days are left for another run."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, date, datetime

from lakelogic.contract.source import Source
from lakelogic.sources.files import Listing, SourceFile
from lakelogic.sources.partitions import DatedFolders

# How names of files tell a day where the contract says nothing about it.
_USUAL = ("%Y-%m-%d", "%Y%m%d")


@dataclass(frozen=True)
class Days:
    """The days from `first` to `last`, both included, in UTC."""

    first: date
    last: date

    def of(self, listing: Listing, source: Source) -> tuple[SourceFile, ...]:
        """The files of these days: by the date in their path, else by when they were modified."""
        declared = source.partition.format if source.partition is not None else None
        forms = [DatedFolders(form) for form in ((declared,) if declared else _USUAL)]
        return tuple(file for file in listing.files if self._has(listing.below(file), file, forms))

    def _has(self, path: str, file: SourceFile, forms: list[DatedFolders]) -> bool:
        for form in forms:
            if form.period(path) is not None:
                return form.meets(path, self.first, self.last)
        modified = datetime.fromtimestamp(file.modified_ns / 1e9, UTC).date()
        return self.first <= modified <= self.last

    def __str__(self) -> str:
        return str(self.first) if self.first == self.last else f"{self.first} to {self.last}"
