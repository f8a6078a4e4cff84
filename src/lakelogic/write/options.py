"""What a contract can ask of write strategies, as plain data."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from lakelogic.sql.build import Scalar

KeyKind = Literal["hash", "uuid"]


@dataclass(frozen=True)
class Cdc:
    """Rows are changes: `deletes` of them by the value of a column, in the order of `time` where one is named."""

    op: str | None = None
    deletes: tuple[str, ...] = ()
    time: str | None = None


@dataclass(frozen=True)
class SoftDelete:
    """Deleted rows stay, marked by a value in a column."""

    column: str
    value: Scalar = True
    time: str | None = None
    reason: str | None = None


@dataclass(frozen=True)
class Reconcile:
    """Keys that a full batch does not hold are deleted, up to a share of the table."""

    max_share: float
    scope: tuple[str, ...] = ()


@dataclass(frozen=True)
class Dimension:
    """A key of the table's own, and the row that stands for a missing member."""

    key: str
    kind: KeyKind = "hash"
    unknown: str | None = None
    defaults: Mapping[str, Scalar | None] = field(default_factory=dict)


@dataclass(frozen=True)
class History:
    """The columns and bounds of a table that keeps every version of a row."""

    track: tuple[str, ...] = ()
    time: str | None = None
    begin: str = "effective_from"
    end: str = "effective_to"
    current: str = "is_current"
    version: str = "_version"
    reason: str = "_change_reason"
    first: str = "1900-01-01"
    last: str = "9999-12-31"
