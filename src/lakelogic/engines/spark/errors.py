"""What Spark says when it fails, in one line and with what to do."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager

from lakelogic.errors import LakeLogicError, SourceError, WriteConflict, WriteError

_CLASS = re.compile(r"\[([A-Z_.0-9]+)\]\s*")
_CAUSE = re.compile(r"Caused by: [\w.$]+(?:Exception|Error): (.+)")
_CONFLICT = "Another writer keeps changing the table; run again when it is done."
_CURES = {
    "DELTA_CONCURRENT": _CONFLICT,
    "CommitFailedException": _CONFLICT,
    "Found conflicting files": _CONFLICT,
    "DELTA_METADATA_CHANGED": _CONFLICT,
    "DELTA_PROTOCOL_CHANGED": _CONFLICT,
    "DELTA_METADATA_MISMATCH": "The table's columns differ; allow it with 'schema_policy: {evolution: append}'.",
    "DELTA_FAILED_TO_MERGE_FIELDS": "A column has another type in the table; cast it in the contract.",
    "DELTA_INVALID_CHARACTERS": "Rename the column in the contract, or allow its name with the table property"
    " 'delta.columnMapping.mode: name'.",
    "COLUMN_ALREADY_EXISTS": "Two columns differ in case only; rename one of them.",
    "some, but not all, rows match filter": "An Iceberg table gives way by whole files; add these columns to"
    " partition_by.",
    "PATH_NOT_FOUND": "A file was removed while it was read; run again.",
}


@contextmanager
def source_error(location: str) -> Iterator[None]:
    """Errors of Spark inside become one line about the source."""
    with _told(lambda text, cure: SourceError(f"can't read {location}: {text}", cure=cure)):
        yield


@contextmanager
def write_error(location: str) -> Iterator[None]:
    """Errors of Spark inside become one line about the table."""
    unknown = "Check the place and the right to write there; the next run goes on where this one stopped."

    def told(text: str, cure: str | None) -> WriteError:
        kind = WriteConflict if cure == _CONFLICT else WriteError
        return kind(f"can't write {location}: {text}", cure=cure or unknown)

    with _told(told):
        yield


@contextmanager
def _told(make) -> Iterator[None]:  # type: ignore[no-untyped-def]
    from py4j.protocol import Py4JJavaError
    from pyspark.errors import PySparkException

    try:
        yield
    except LakeLogicError:
        raise
    except (PySparkException, Py4JJavaError, OSError) as error:
        raise make(first_line(error), cure_of(error)) from error


def first_line(error: Exception) -> str:
    """The line of an error that says most: the innermost cause, else the first."""
    text = str(error)
    causes = _CAUSE.findall(text)
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    line = causes[-1] if causes else (lines[0] if lines else type(error).__name__)
    return _CLASS.sub("", line).split(" SQLSTATE")[0].strip().rstrip(".") + "."


def cure_of(error: Exception) -> str | None:
    text = str(error)
    return next((cure for sign, cure in _CURES.items() if sign in text), None)
