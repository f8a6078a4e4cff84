"""What an export is: a copy of a table in another system, as data, and the kinds of systems that there are."""

from __future__ import annotations

import hashlib
import json
import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from lakelogic.contract.exports import Export
from lakelogic.errors import LakeLogicError, UsageError, first_line
from lakelogic.registry import Registry
from lakelogic.sql.types import Columns, type_name
from lakelogic.wording import HIDDEN

if TYPE_CHECKING:
    import pyarrow as pa

_SECRET = re.compile(r"PASSWORD|PASSPHRASE|SECRET|TOKEN|KEY(?!_PATH)")
# A shorter text is no secret, and would be found inside ordinary words.
_SHORTEST_SECRET = 4
_LONGEST_TOLD = 400

Environment = Mapping[str, str]

export_targets: Registry[type[ExportTarget]] = Registry("export target", "lakelogic.exports", "export_targets")


class ExportError(LakeLogicError):
    """A copy of a table could not be sent; the table itself is as it is."""

    code = "export"


class NothingToExport(ExportError):
    """There is no table yet, or none that can be read from here."""

    code = "export-nothing"


class ExportUnavailable(ExportError):
    """A system does not answer now."""

    code = "export-unavailable"
    retry_can_help = True


@dataclass(frozen=True)
class ExportPlan:
    """What is sent where. `place` is the target as people call it; one place gets one table."""

    contract: str
    to: str
    place: str
    table: str
    version: int | None
    table_id: str | None
    rows: int
    columns: Columns
    keys: tuple[str, ...] = ()
    merges: bool = False
    delete_missing: bool = False
    files: tuple[Path, ...] = ()
    root: Path = Path()

    @property
    def fingerprint(self) -> str:
        """The same for the same rows that would be sent in the same way."""
        columns = [(column.name, type_name(column.type)) for column in self.columns]
        told = [self.table, self.table_id, self.version, columns, self.keys, self.merges, self.delete_missing]
        return hashlib.sha256(json.dumps(told).encode()).hexdigest()[:16]


@dataclass(frozen=True)
class Rows:
    """All rows of a table, a batch at a time; each call begins anew."""

    open: Callable[[], Iterator[pa.RecordBatch]]

    def batches(self, size: int) -> Iterator[pa.RecordBatch]:
        """Batches of at most so many rows."""
        for batch in self.open():
            for start in range(0, batch.num_rows, size):
                yield batch.slice(start, size)


@dataclass(frozen=True)
class Sent:
    """What a system has taken. A count that it does not tell is None."""

    rows: int | None = None
    inserted: int | None = None
    updated: int | None = None
    deleted: int | None = None
    files: int | None = None
    files_sent: int | None = None
    bytes: int | None = None
    statements: tuple[str, ...] = ()


class ExportTarget(ABC):
    """A system, as the variables of the environment describe it.

    `needs` is what a user must set, `about` the word for where it is, `library` the package that speaks to it, and
    `extra` what brings that package.
    """

    needs: ClassVar[str]
    about: ClassVar[str]
    library: ClassVar[str]
    extra: ClassVar[str]
    # Whether the order of rows must be the same each time.
    ordered: ClassVar[bool] = False

    def __init__(self, environment: Environment) -> None:
        self.environment = environment

    @classmethod
    @abstractmethod
    def address(cls, environment: Environment) -> str | None:
        """The account, host or bucket that is set; never a secret."""

    @classmethod
    @abstractmethod
    def missing(cls, environment: Environment) -> list[str]:
        """The variables that a connection needs and that are not set."""

    @abstractmethod
    def place(self, export: Export, default: str) -> str:
        """Where an export goes, as people call it; what can't be sent there, `send` refuses."""

    @abstractmethod
    def send(self, plan: ExportPlan, rows: Rows) -> Sent:
        """Send all rows; what is there before is replaced, or merged with, as a whole or not at all.

        Raises:
            ExportUnavailable: the system does not answer; nothing is lost by trying again.
            ExportError: it says no.
        """

    @classmethod
    def require_library(cls) -> None:
        """
        Raises:
            UsageError: the package that speaks to the system is not installed.
        """
        parts = cls.library.split(".")
        # A parent that is missing would raise, so it is looked for first.
        if not all(find_spec(".".join(parts[:depth])) for depth in range(1, len(parts) + 1)):
            raise UsageError(
                f"exports to {cls.extra} need a package that is not installed.",
                cure=f"Install it: pip install 'lakelogic[{cls.extra}]'",
            )

    def told(self, error: BaseException) -> str:
        """The message of a library in one line, without the secrets of this environment."""
        line = first_line(error)
        hidden = (value for name, value in self.environment.items() if _SECRET.search(name))
        for value in sorted(hidden, key=len, reverse=True):
            line = line.replace(value, HIDDEN) if len(value) >= _SHORTEST_SECRET else line
        return line[:_LONGEST_TOLD].rstrip(". ")
