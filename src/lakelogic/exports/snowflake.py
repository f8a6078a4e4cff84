"""Exports to Snowflake: rows go into a temporary table, and from there into their table in one transaction."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass, field
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from sqlglot import exp

from lakelogic.catalogs.web import server_at
from lakelogic.contract.exports import Export
from lakelogic.contract.naming import name_parts
from lakelogic.exports.base import (
    Environment,
    ExportError,
    ExportPlan,
    ExportTarget,
    ExportUnavailable,
    Rows,
    Sent,
    export_targets,
)
from lakelogic.exports.merging import Merge, definition
from lakelogic.exports.values import as_json, records
from lakelogic.sql.types import Column, is_nested

if TYPE_CHECKING:
    from snowflake.connector import SnowflakeConnection
    from snowflake.connector.cursor import SnowflakeCursor

# The connector uploads a batch of more than 65,280 values to a stage by itself, and sends a smaller one in the request.
_BATCH_ROWS = 16_384
_LOGIN_SECONDS = 30
_STAGE = "_LAKELOGIC_STAGE"
_PLAIN_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_$]*")
# Object does not exist, or not for this role; database or schema does not exist.
_ABSENT = (2003, 2043)
# How the connector tells that a server has not answered while it signs in.
_UNREACHED = "HTTP request failed"
_INTEGERS = {exp.DType.TINYINT, exp.DType.SMALLINT, exp.DType.INT, exp.DType.BIGINT}


@export_targets.add("snowflake")
class Snowflake(ExportTarget):
    """An account, and a user with a password or a key."""

    needs = "SNOWFLAKE_ACCOUNT, SNOWFLAKE_USER, and SNOWFLAKE_PASSWORD or SNOWFLAKE_PRIVATE_KEY_PATH"
    about = "account"
    library = "snowflake.connector"
    extra = "snowflake"

    @classmethod
    def address(cls, environment: Environment) -> str | None:
        return environment.get("SNOWFLAKE_ACCOUNT") or None

    @classmethod
    def missing(cls, environment: Environment) -> list[str]:
        has_key = bool(environment.get("SNOWFLAKE_PRIVATE_KEY_PATH"))
        needed = ["SNOWFLAKE_ACCOUNT", "SNOWFLAKE_USER", *([] if has_key else ["SNOWFLAKE_PASSWORD"])]
        return [name for name in needed if not environment.get(name)]

    def place(self, export: Export, default: str) -> str:
        return f"snowflake://{self.environment['SNOWFLAKE_ACCOUNT']}/{'.'.join(_parts(export.table or default))}"

    def send(self, plan: ExportPlan, rows: Rows) -> Sent:
        table = _parts(plan.place.rpartition("/")[2])
        with self._session() as session:
            _prepare(session, plan, table)
            _stage(session, plan, rows)
            return _publish(session, plan, table)

    @contextmanager
    def _session(self) -> Iterator[_Session]:
        from snowflake.connector import connect
        from snowflake.connector.errors import Error, InterfaceError, OperationalError

        try:
            with closing(connect(**self._login())) as connection:
                yield _Session(connection)
        except (OperationalError, InterfaceError) as error:
            raise ExportUnavailable(f"Snowflake can't be reached: {self.told(error)}.") from None
        except Error as error:
            # The number is that of a wrong password, which must not be tried again: it may lock the user out.
            if _UNREACHED in str(error):
                raise ExportUnavailable(f"Snowflake can't be reached: {self.told(error)}.") from None
            raise ExportError(
                f"Snowflake says no: {self.told(error)}.", cure="Check the account, the grants and the warehouse."
            ) from None

    def _login(self) -> dict[str, Any]:
        known = self.environment
        login: dict[str, Any] = {
            "account": known["SNOWFLAKE_ACCOUNT"],
            "user": known["SNOWFLAKE_USER"],
            "paramstyle": "qmark",
            "login_timeout": _LOGIN_SECONDS,
            # No statement of ours goes on when the connection is closed.
            "enable_server_session_keep_alive_auto_detection": False,
            "session_parameters": {"QUERY_TAG": "lakelogic", "TIMEZONE": "UTC", "CLIENT_TELEMETRY_ENABLED": False},
        }
        if path := known.get("SNOWFLAKE_PRIVATE_KEY_PATH"):
            login["private_key"] = _private_key(Path(path), known.get("SNOWFLAKE_PRIVATE_KEY_PASSPHRASE"))
        else:
            login["password"] = known["SNOWFLAKE_PASSWORD"]
        for option in ("warehouse", "role"):
            if value := known.get(f"SNOWFLAKE_{option.upper()}"):
                login[option] = value
        return login | _host(known.get("SNOWFLAKE_HOST"))


@dataclass
class _Session:
    """A connection, and the ids of the statements that were run in it."""

    connection: SnowflakeConnection
    statements: list[str] = field(default_factory=list)

    def run(self, sql: str, rows: Sequence[Sequence[object]] | None = None) -> tuple[Any, ...]:
        """The first row that a statement gives; with rows, it is run for all of them."""
        with closing(self.connection.cursor()) as cursor:
            found: SnowflakeCursor | None = cursor.execute(sql) if rows is None else cursor.executemany(sql, rows)
            if cursor.sfqid:
                self.statements.append(cursor.sfqid)
            return (found.fetchone() if found is not None else None) or ()

    def columns(self, table: str) -> list[str] | None:
        """The columns of a table, or None where there is none."""
        from snowflake.connector.errors import ProgrammingError

        try:
            with closing(self.connection.cursor()) as cursor:
                cursor.execute(f"SELECT * FROM {table} LIMIT 0")
                return [str(column[0]) for column in cursor.description or ()]
        except ProgrammingError as error:
            if error.errno in _ABSENT:
                return None
            raise


def _prepare(session: _Session, plan: ExportPlan, table: Sequence[str]) -> None:
    """Database, schema and table with all columns, and an empty temporary table beside it."""
    database, schema, name = map(_quoted, table)
    typed = [(column.name, _type(column)) for column in plan.columns]
    there = session.columns(f"{database}.{schema}.{name}")
    if there is None:
        # Who may not create a database still may use one that is there, so none is created without need.
        session.run(f"CREATE DATABASE IF NOT EXISTS {database}")
        session.run(f"CREATE SCHEMA IF NOT EXISTS {database}.{schema}")
        session.run(f"CREATE TABLE IF NOT EXISTS {database}.{schema}.{name} ({definition(typed, _quoted)})")
        there = [_name(column) for column, _ in typed]
    for column, kind in typed:
        if _name(column) not in there:
            session.run(f"ALTER TABLE {database}.{schema}.{name} ADD COLUMN {_quoted(column)} {kind}")
    session.run(f"USE SCHEMA {database}.{schema}")
    staged = [(column.name, "VARCHAR" if is_nested(column.type) else _type(column)) for column in plan.columns]
    session.run(f"CREATE OR REPLACE TEMPORARY TABLE {_quoted(_STAGE)} ({definition(staged, _quoted)})")


def _stage(session: _Session, plan: ExportPlan, rows: Rows) -> None:
    nested = [is_nested(column.type) for column in plan.columns]
    marks = ", ".join("?" for _ in nested)
    insert = f"INSERT INTO {_quoted(_STAGE)} VALUES ({marks})"
    for batch in rows.batches(_BATCH_ROWS):
        values = (row.values() for row in records(batch))
        session.run(insert, [tuple(map(_bound, row, nested)) for row in values])
    (staged,) = session.run(f"SELECT COUNT(*) FROM {_quoted(_STAGE)}")
    if int(staged) != plan.rows:
        raise ExportError(f"{staged} of {plan.rows} rows have arrived; nothing was published.", cure="Export again.")


def _publish(session: _Session, plan: ExportPlan, table: Sequence[str]) -> Sent:
    """All changes of the table in one transaction."""
    from snowflake.connector.errors import Error

    target = ".".join(map(_quoted, table))
    read = ", ".join(
        f"PARSE_JSON({_quoted(c.name)}) AS {_quoted(c.name)}" if is_nested(c.type) else _quoted(c.name)
        for c in plan.columns
    )
    staged = f"(SELECT {read} FROM {_quoted(_STAGE)})"
    merge = Merge(plan, target, staged, _quoted)
    session.run("BEGIN")
    try:
        if plan.merges:
            inserted, updated, *_ = (*session.run(merge.upsert), 0, 0)
            deleted = _delete_missing(session, plan, target, table[-1]) if plan.delete_missing else 0
        else:
            (deleted, *_), updated = session.run(f"DELETE FROM {target}"), 0
            (inserted, *_) = session.run(f"INSERT INTO {target} ({merge.columns}) SELECT * FROM {staged} AS s")
        session.run("COMMIT")
    except BaseException:
        # Where the connection is lost, the server rolls back; what went wrong first is what is told.
        with suppress(Error):
            session.run("ROLLBACK")
        raise
    return Sent(plan.rows, int(inserted), int(updated), int(deleted), statements=tuple(session.statements))


def _delete_missing(session: _Session, plan: ExportPlan, target: str, name: str) -> int:
    keys = [_quoted(plan.columns.get(key).name) for key in plan.keys]
    same = " AND ".join(f"s.{key} = {_quoted(name)}.{key}" for key in keys)
    (deleted, *_) = session.run(
        f"DELETE FROM {target} WHERE NOT EXISTS (SELECT 1 FROM {_quoted(_STAGE)} AS s WHERE {same})"
    )
    return int(deleted)


def _type(column: Column) -> str:
    """Snowflake's type for one of ours; what has members is a document."""
    if is_nested(column.type):
        return "VARIANT"
    if column.type.this in _INTEGERS:
        return "NUMBER(38, 0)"
    if column.type.this == exp.DType.TIMESTAMPTZ:
        return "TIMESTAMP_TZ"
    return column.type.sql("snowflake")


def _bound(value: object, nested: bool) -> object:
    """A value as it is bound; text where that keeps every digit."""
    if isinstance(value, Decimal):
        return format(value, "f")
    return as_json(value) if nested and value is not None else value


def _parts(table: str) -> list[str]:
    return [_name(part) for part in name_parts(table)]


def _name(name: str) -> str:
    """A name as Snowflake keeps it where it was written without quotes."""
    return name.upper() if _PLAIN_NAME.fullmatch(name) else name


def _quoted(name: str) -> str:
    return '"' + _name(name).replace('"', '""') + '"'


def _private_key(path: Path, passphrase: str | None) -> bytes:
    """The key of a file in the form that every version of the connector takes."""
    from cryptography.hazmat.primitives.serialization import (
        Encoding,
        NoEncryption,
        PrivateFormat,
        load_pem_private_key,
    )

    try:
        key = load_pem_private_key(path.expanduser().read_bytes(), passphrase.encode() if passphrase else None)
    except OSError as error:
        raise ExportError(f"SNOWFLAKE_PRIVATE_KEY_PATH can't be read: {error.strerror}.") from None
    except (TypeError, ValueError):
        raise ExportError(
            "SNOWFLAKE_PRIVATE_KEY_PATH is no key that can be opened.",
            cure="It must be a PEM file; set SNOWFLAKE_PRIVATE_KEY_PASSPHRASE where it is encrypted.",
        ) from None
    return key.private_bytes(Encoding.DER, PrivateFormat.PKCS8, NoEncryption())


def _host(address: str | None) -> dict[str, Any]:
    """Another address than the account's own, such as that of a private link."""
    if not address:
        return {}
    parts = urlsplit(server_at(address, None, "SNOWFLAKE_HOST").url)
    default = 443 if parts.scheme == "https" else 80
    return {"host": parts.hostname, "protocol": parts.scheme, "port": parts.port or default}
