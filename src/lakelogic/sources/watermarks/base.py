"""What a watermark strategy is: a name in contracts that chooses what the next run reads."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from lakelogic.contract.source import Source
from lakelogic.errors import ContractError
from lakelogic.plan.rows import RowWindow
from lakelogic.registry import Registry
from lakelogic.sources.files import Listing, SourceFile

watermarks: Registry[type[Watermark]] = Registry("watermark strategy", "lakelogic.sources.watermarks", "watermarks")


class Past(Protocol):
    """What the runs that succeeded have read."""

    @property
    def is_empty(self) -> bool:
        """Whether no run has read files yet."""

    @property
    def newest_ns(self) -> int | None:
        """When the newest file that was read had been modified."""

    def has(self, file: SourceFile) -> bool:
        """Whether a file was read as it is now."""

    def has_path(self, path: str) -> bool:
        """Whether a file of this path was read, as it is now or as it was."""

    def window(self, column: str) -> RowWindow | None:
        """The rows that the newest run chose by a column."""

    @property
    def version(self) -> int | None:
        """The version of the table up to which it was read."""


@dataclass(frozen=True)
class Asked:
    """What a strategy looks at: the source as declared, its files unless it is a table, and what was read before."""

    source: Source
    listing: Listing | None
    past: Past
    folder: Path

    def files(self, strategy: str) -> tuple[SourceFile, ...]:
        """The files of a file source.

        Raises:
            ContractError: the source is a table.
        """
        if self.listing is None:
            raise ContractError(
                f"watermark_strategy {strategy} is for files, and the source is a table.",
                cure="Use watermark_field with a column, or delta_version.",
            )
        return self.listing.files


@dataclass(frozen=True)
class Choice:
    """What is read, and why. All of the source, unless files, rows or versions say otherwise.

    `above_target` makes the highest value in the target the low end of `rows`; `after` is the version up to which a
    table was read before.
    """

    reason: str
    files: tuple[SourceFile, ...] | None = None
    rows: RowWindow | None = None
    above_target: bool = False
    versions: bool = False
    after: int | None = None


class Watermark(ABC):
    """A way to tell new data from old."""

    @abstractmethod
    def choose(self, asked: Asked) -> Choice:
        """What the next run reads.

        Raises:
            ContractError: the source can't be read in this way.
        """


def strategy_of(source: Source, *, is_table: bool) -> str:
    """The name of the strategy: as declared, else the one that loses no row of such a source."""
    declared = source.watermark_strategy
    if declared not in (None, "pipeline_log") or not is_table:
        return declared or "pipeline_log"
    return "watermark_field" if source.watermark_field else "delta_version"


def never_read(files: tuple[SourceFile, ...], past: Past) -> tuple[SourceFile, ...]:
    """The files that no run has read as they are now."""
    return tuple(file for file in files if not past.has(file))


def told_new(new: tuple[SourceFile, ...], files: tuple[SourceFile, ...], past: Past) -> str:
    """How many files are new, in words; those that changed since they were read are counted."""
    if past.is_empty:
        return "no earlier run is in the log, so all files are new"
    changed = sum(1 for file in new if past.has_path(file.path))
    said = f", {changed} of them changed since they were read" if changed else ""
    return f"{len(new)} of {len(files)} files are new since the last run{said}"
