"""Summaries in a Postgres database."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import ClassVar

from lakelogic.errors import UsageError, first_line
from lakelogic.observe.rows import Kind, Row
from lakelogic.observe.summaries.base import PATIENCE_SECONDS, NotRecorded, SqlBackend, summary_backends

# Two that create one table at once would collide in the catalog, though each says IF NOT EXISTS.
_LOCK = "SELECT pg_advisory_xact_lock(hashtext('lakelogic.summaries'))"


@summary_backends.add("postgres")
@dataclass(frozen=True)
class PostgresSummaries(SqlBackend):
    """An address such as `postgresql://user@host/database`; the password is better in PGPASSWORD or ~/.pgpass."""

    types: ClassVar[Mapping[Kind, str]] = {
        "text": "text",
        "integer": "bigint",
        "real": "double precision",
        "moment": "timestamptz",
    }
    placeholder: ClassVar[str] = "%s"

    def __post_init__(self) -> None:
        try:
            import_module("psycopg")
        except ImportError:
            raise UsageError(
                "--summary-backend postgres needs psycopg.", cure="Install it: pip install 'psycopg[binary]'."
            ) from None

    def write(self, rows: Sequence[Row]) -> None:
        psycopg = import_module("psycopg")
        seconds = int(PATIENCE_SECONDS)
        try:
            with psycopg.connect(
                self.database, connect_timeout=seconds, options=f"-c lock_timeout={seconds}s"
            ) as connection:
                connection.execute(_LOCK)
                for statement in self.creation:
                    connection.execute(statement)
                connection.cursor().executemany(self.insertion, self.values(rows))
        except psycopg.Error as error:
            # Without a state it speaks of the address, and repeats parts of it.
            malformed = isinstance(error, psycopg.ProgrammingError) and error.sqlstate is None
            raise self.refused("the address is malformed" if malformed else error) from None

    def refused(self, error: BaseException | str) -> NotRecorded:
        """Told without the address, which may hold a password."""
        said = first_line(error).rstrip(".")
        return NotRecorded(
            f"the summary was not written to Postgres: {said}.",
            cure="Look whether it runs and lets you in, or name another with --summary-database.",
        )
