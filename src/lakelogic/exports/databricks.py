"""Exports to Unity Catalog: rows go into a staging table through the Statement Execution API, and are merged from there."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from shutil import which
from typing import TYPE_CHECKING, Any
from uuid import uuid4

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
from lakelogic.sql.build import quoted
from lakelogic.sql.types import type_name

if TYPE_CHECKING:
    from databricks.sdk import WorkspaceClient
    from databricks.sdk.service.sql import StatementResponse

_BATCH_ROWS = 4_096
# A statement takes 256 parameters and 16 MiB, so the rows of a batch are one parameter, well below that.
_BATCH_CHARACTERS = 2_000_000
_WAIT = "50s"
_POLL_SECONDS = (1.0, 2.0, 5.0, 10.0)
_LONGEST_SECONDS = 3600.0
# Table or view, schema, catalog does not exist.
_ABSENT = ("42P01", "42704")
_VARIABLES = {
    "token": "DATABRICKS_TOKEN",
    "client_id": "DATABRICKS_CLIENT_ID",
    "client_secret": "DATABRICKS_CLIENT_SECRET",
    "profile": "DATABRICKS_CONFIG_PROFILE",
    "config_file": "DATABRICKS_CONFIG_FILE",
}


@export_targets.add("databricks")
class Databricks(ExportTarget):
    """A workspace, and a way to sign in: a token, a service principal, or a profile of the CLI."""

    needs = (
        "DATABRICKS_HOST, and DATABRICKS_TOKEN, or DATABRICKS_CLIENT_ID with DATABRICKS_CLIENT_SECRET, or"
        " DATABRICKS_CONFIG_PROFILE"
    )
    about = "host"
    library = "databricks.sdk"
    extra = "databricks"

    @classmethod
    def address(cls, environment: Environment) -> str | None:
        return environment.get("DATABRICKS_HOST") or None

    @classmethod
    def missing(cls, environment: Environment) -> list[str]:
        known = {name for name, value in environment.items() if value}
        principal = {"DATABRICKS_CLIENT_ID", "DATABRICKS_CLIENT_SECRET"} <= known
        signed_in = bool(known & {"DATABRICKS_TOKEN", "DATABRICKS_CONFIG_PROFILE"}) or principal
        # Without any of them, the SDK asks the CLI for the profile of this host.
        needed = ["DATABRICKS_HOST", *([] if signed_in or which("databricks") else ["DATABRICKS_TOKEN"])]
        return [name for name in needed if name not in known]

    def place(self, export: Export, default: str) -> str:
        host = self.environment["DATABRICKS_HOST"].rpartition("://")[2].strip("/")
        return f"databricks://{host}/{'.'.join(name_parts(export.table or default)).lower()}"

    def send(self, plan: ExportPlan, rows: Rows) -> Sent:
        catalog, schema, name = name_parts(plan.place.rpartition("/")[2])
        target = _Names(catalog, schema, name)
        stage = _Names(catalog, schema, f"_lakelogic_stage_{name}_{uuid4().hex[:8]}")
        with self._warehouse() as warehouse:
            _prepare(warehouse, plan, target)
            try:
                _stage(warehouse, plan, stage, rows)
                return _publish(warehouse, plan, target, stage)
            finally:
                warehouse.run(f"DROP TABLE IF EXISTS {stage.sql}")

    @contextmanager
    def _warehouse(self) -> Iterator[_Warehouse]:
        from databricks.sdk import WorkspaceClient
        from databricks.sdk.config import Config
        from databricks.sdk.errors import (
            DeadlineExceeded,
            InternalError,
            TemporarilyUnavailable,
            TooManyRequests,
        )
        from databricks.sdk.errors.base import DatabricksError
        from requests.exceptions import RequestException

        told = {name: self.environment.get(variable) for name, variable in _VARIABLES.items()}
        known: dict[str, Any] = {name: value for name, value in told.items() if value}
        try:
            # The SDK has patience of its own, for five minutes by default.
            config = Config(
                host=server_at(self.environment["DATABRICKS_HOST"], None, "DATABRICKS_HOST").url,
                product="lakelogic",
                product_version="1.0.0",
                http_timeout_seconds=90,
                retry_timeout_seconds=60,
                **known,
            )
            client = WorkspaceClient(config=config)
            yield _Warehouse(client, self.environment.get("DATABRICKS_WAREHOUSE_ID") or _chosen(client))
        except (TooManyRequests, TemporarilyUnavailable, InternalError, DeadlineExceeded) as error:
            raise ExportUnavailable(f"Databricks does not answer now: {self.told(error)}.") from None
        except (RequestException, TimeoutError, ConnectionError) as error:
            raise ExportUnavailable(f"Databricks can't be reached: {self.told(error)}.") from None
        except (DatabricksError, ValueError) as error:
            raise ExportError(
                f"Databricks says no: {self.told(error)}.", cure="Check the host, the sign-in and the grants."
            ) from None
        except StatementFailed as error:
            raise ExportError(f"Databricks says no: {self.told(error)}.", cure="Check the grants.") from None


class StatementFailed(ExportError):
    """A warehouse has refused a statement."""

    code = "export-statement"

    def __init__(self, message: str, sql_state: str | None) -> None:
        super().__init__(message)
        self.sql_state = sql_state


@dataclass(frozen=True)
class _Names:
    """A table of Unity Catalog."""

    catalog: str
    schema: str
    name: str

    @property
    def sql(self) -> str:
        return ".".join(map(quoted, (self.catalog, self.schema, self.name)))


@dataclass
class _Warehouse:
    """A warehouse that runs statements to their end, and the ids of those it has run."""

    client: WorkspaceClient
    id: str
    statements: list[str] = field(default_factory=list)

    def run(self, sql: str, **texts: str) -> list[dict[str, Any]]:
        """The first rows that a statement gives; the texts are its parameters.

        Raises:
            StatementFailed: it failed, or was cancelled by somebody else.
            ExportUnavailable: it takes too long.
        """
        from databricks.sdk.service.sql import ExecuteStatementRequestOnWaitTimeout, StatementParameterListItem

        parameters = [StatementParameterListItem(name, "STRING", text) for name, text in texts.items()]
        answer = self.client.statement_execution.execute_statement(
            sql,
            self.id,
            parameters=parameters or None,
            wait_timeout=_WAIT,
            on_wait_timeout=ExecuteStatementRequestOnWaitTimeout.CONTINUE,
        )
        answer = self._ended(answer)
        self.statements.append(str(answer.statement_id))
        return _rows(answer)

    def _ended(self, answer: StatementResponse) -> StatementResponse:
        from databricks.sdk.service.sql import StatementState

        began, polls = time.monotonic(), 0
        statement_id = str(answer.statement_id)
        while answer.status and answer.status.state in (StatementState.PENDING, StatementState.RUNNING):
            if time.monotonic() - began > _LONGEST_SECONDS:
                self.client.statement_execution.cancel_execution(statement_id)
                raise ExportUnavailable(f"statement {statement_id} took longer than {_LONGEST_SECONDS:.0f} s.")
            time.sleep(_POLL_SECONDS[min(polls, len(_POLL_SECONDS) - 1)])
            answer, polls = self.client.statement_execution.get_statement(statement_id), polls + 1
        status = answer.status
        if status is None or status.state != StatementState.SUCCEEDED:
            said = status.error.message if status and status.error and status.error.message else "it was cancelled"
            raise StatementFailed(said, status.sql_state if status else None)
        return answer


def _chosen(client: WorkspaceClient) -> str:
    """A warehouse that runs, else one that will when it is asked."""
    from databricks.sdk.service.sql import State

    order = (State.RUNNING, State.STARTING, State.STOPPED, State.STOPPING)
    usable = [each for each in client.warehouses.list() if each.state in order and each.id]
    if not usable:
        raise ExportError("the workspace has no SQL warehouse.", cure="Create one, or set DATABRICKS_WAREHOUSE_ID.")
    return str(min(usable, key=lambda each: order.index(each.state) if each.state else len(order)).id)


def _rows(answer: StatementResponse) -> list[dict[str, Any]]:
    schema = answer.manifest.schema if answer.manifest else None
    names = [str(column.name) for column in (schema.columns if schema and schema.columns else ())]
    found = answer.result.data_array if answer.result else None
    return [dict(zip(names, row, strict=False)) for row in found or ()]


def _prepare(warehouse: _Warehouse, plan: ExportPlan, target: _Names) -> None:
    """Catalog, schema and table with all columns."""
    typed = [(column.name, type_name(column.type)) for column in plan.columns]
    try:
        there = {str(next(iter(row.values()))).lower() for row in warehouse.run(f"DESCRIBE TABLE {target.sql}")}
    except StatementFailed as error:
        if error.sql_state not in _ABSENT:
            raise
        # Who may not create a catalog still may use one that is there, so none is created without need.
        warehouse.run(f"CREATE CATALOG IF NOT EXISTS {quoted(target.catalog)}")
        warehouse.run(f"CREATE SCHEMA IF NOT EXISTS {quoted(target.catalog)}.{quoted(target.schema)}")
        warehouse.run(f"CREATE TABLE IF NOT EXISTS {target.sql} ({definition(typed, quoted)}) USING DELTA")
        return
    if new := [(name, kind) for name, kind in typed if name.lower() not in there]:
        warehouse.run(f"ALTER TABLE {target.sql} ADD COLUMNS ({definition(new, quoted)})")


def _stage(warehouse: _Warehouse, plan: ExportPlan, stage: _Names, rows: Rows) -> None:
    typed = [(column.name, type_name(column.type)) for column in plan.columns]
    warehouse.run(f"CREATE TABLE {stage.sql} ({definition(typed, quoted)}) USING DELTA")
    shape = ", ".join(f"{quoted(name)}: {kind}" for name, kind in typed).replace("\\", "\\\\").replace("'", "\\'")
    values = ", ".join(f"r.{quoted(name)}" for name, _ in typed)
    insert = (
        f"INSERT INTO {stage.sql} SELECT {values} FROM"
        f" (SELECT explode(from_json(:rows, 'array<struct<{shape}>>', map('mode', 'FAILFAST'))) AS r)"
    )
    for texts in _portions(rows):
        warehouse.run(insert, rows=f"[{','.join(texts)}]")
    (counted,) = warehouse.run(f"SELECT count(*) AS n FROM {stage.sql}")
    if int(counted["n"]) != plan.rows:
        raise ExportError(
            f"{counted['n']} of {plan.rows} rows have arrived; nothing was published.", cure="Export again."
        )


def _portions(rows: Rows) -> Iterator[list[str]]:
    """Rows as JSON, as many at a time as a statement takes."""
    texts: list[str] = []
    size = 0
    for batch in rows.batches(_BATCH_ROWS):
        for row in records(batch):
            texts.append(as_json(row))
            size += len(texts[-1])
            if size > _BATCH_CHARACTERS:
                yield texts
                texts, size = [], 0
    if texts:
        yield texts


def _publish(warehouse: _Warehouse, plan: ExportPlan, target: _Names, stage: _Names) -> Sent:
    """One statement, so that readers see all of it or nothing."""
    merge = Merge(plan, target.sql, stage.sql, quoted)
    if plan.merges:
        missing = " WHEN NOT MATCHED BY SOURCE THEN DELETE" if plan.delete_missing else ""
        found = warehouse.run(merge.upsert + missing)
    else:
        found = warehouse.run(
            f"INSERT OVERWRITE {target.sql} ({merge.columns}) SELECT {merge.columns} FROM {stage.sql}"
        )
    told = found[0] if found else {}
    inserted, updated, deleted = (_count(told, f"num_{word}_rows") for word in ("inserted", "updated", "deleted"))
    return Sent(plan.rows, inserted, updated, deleted, statements=tuple(warehouse.statements))


def _count(told: Mapping[str, Any], name: str) -> int | None:
    return int(told[name]) if told.get(name) is not None else None
