"""What DuckDB and delta-rs say when they fail, in one line and with what to do."""

from __future__ import annotations

import re
from collections.abc import Callable

from lakelogic.engines.duckdb.tables import Table
from lakelogic.errors import SourceError, WriteConflict, WriteError

_KIND = re.compile(r"^(?:[A-Z][\w ]* (?:Error|error): |Generic DeltaTable error: |External error: |Unsupported: )+")
_COLOUR = re.compile(r"\x1b\[\d*m")
_NOT_THERE = re.compile(r"Local path \".*\" does not exist or you don't have access")
_CONFLICT = "Another writer keeps changing the table; run again when it is done."
_NEWER = "The table is of a newer Delta protocol; upgrade lakelogic and deltalake here."
_CURES = {
    "Schema evolution on column-mapped tables": "Add the columns with Spark, or use 'schema_policy: {evolution: strict}'.",
    "Cannot merge types": "A column has another type in the table; cast it in the contract.",
    "oncurrent": _CONFLICT,
    "has changed: expected id": _CONFLICT,
    "inimum reader version": _NEWER,
    "inimum writer version": _NEWER,
    "does not exist or you don't have access": "Run first what writes it, or check the path.",
    "eader feature": "The table needs a newer reader; run with --engine spark.",
    "riter feature": "The table needs a newer writer; run with --engine spark.",
}


def source_error(source: str | Table) -> Callable[[Exception], SourceError]:
    """Makes one line about a source of an error."""
    return lambda error: SourceError(f"can't read {_said(source, error)}", cure=cure_of(error))


def write_error(table: str | Table) -> Callable[[Exception], WriteError]:
    """Makes one line about a table of an error."""
    unknown = "Check the place and the right to write there; the next run goes on where this one stopped."

    def told(error: Exception) -> WriteError:
        cure = _CONFLICT if _is_conflict(error) else cure_of(error)
        kind = WriteConflict if cure == _CONFLICT else WriteError
        return kind(f"can't write {_said(table, error)}", cure=cure or unknown)

    return told


def _is_conflict(error: Exception) -> bool:
    from deltalake.exceptions import CommitFailedError

    return isinstance(error, CommitFailedError)


def _said(what: str | Table, error: Exception) -> str:
    if isinstance(what, str):
        return f"{what}: {first_line(error)}"
    return f"{what.shown}: {what.place.without_secrets(first_line(error))}"


def first_line(error: Exception) -> str:
    """The line of an error that says most, without its kind: the innermost cause, else the first."""
    lines = [line.strip() for line in _COLOUR.sub("", str(error)).splitlines() if line.strip()]
    causes = [line.lstrip("↳ ") for line in lines if line.startswith("↳")]
    line = causes[-1] if causes else lines[0] if lines else type(error).__name__
    return _NOT_THERE.sub("there is no table, or none that may be read", _KIND.sub("", line)).rstrip(".!") + "."


def cure_of(error: Exception) -> str | None:
    return next((cure for sign, cure in _CURES.items() if sign in str(error)), None)
