"""A workspace on this machine that speaks the Statement Execution API; DuckDB runs the statements.

Requests are read, and answers are made, with the SDK's own types.
"""

from __future__ import annotations

import inspect
import json
import re
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import duckdb
import sqlglot
from databricks.sdk.service.sql import (
    ColumnInfo,
    EndpointInfo,
    ListWarehousesResponse,
    ResultData,
    ResultManifest,
    ResultSchema,
    ServiceError,
    ServiceErrorCode,
    State,
    StatementExecutionAPI,
    StatementParameterListItem,
    StatementResponse,
    StatementState,
    StatementStatus,
)

from tests.answering import Asked, Reply, answering

STATEMENTS = "/api/2.0/sql/statements"
_KEYS = {"statement", *inspect.signature(StatementExecutionAPI.execute_statement).parameters} - {"self"}
_ROWS = re.compile(r"INSERT INTO (?P<stage>\S+) SELECT .* FROM \(SELECT explode\(from_json\(:rows, 'array<struct<")


class Refused(Exception):
    """A statement failed; as the API tells it."""

    def __init__(self, message: str, sql_state: str) -> None:
        super().__init__(message)
        self.sql_state = sql_state


Answer = tuple[list[str], list[Any]]
Run = Callable[[str, Mapping[str, str]], Answer]


@dataclass
class Workspace:
    """Warehouses that run statements, and what was asked. `slow` ones are answered when they were asked for again."""

    run: Run

    token: str = "a-secret-token"
    url: str = ""
    warehouses: dict[str, State] = field(
        default_factory=lambda: {"stopped": State.STOPPED, "running": State.RUNNING, "starting": State.STARTING}
    )
    slow: int = 0
    fails: list[tuple[int, str]] = field(default_factory=list)
    refuses: str | None = None
    asked: list[dict[str, Any]] = field(default_factory=list)
    polls: int = 0
    _answers: dict[str, StatementResponse] = field(default_factory=dict)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    @property
    def environment(self) -> dict[str, str]:
        return {"DATABRICKS_HOST": self.url, "DATABRICKS_TOKEN": self.token}

    @property
    def statements(self) -> list[str]:
        return [body["statement"] for body in self.asked]

    def reply(self, asked: Asked) -> Reply:
        path = asked.path.partition("?")[0]
        status, told = self._reply(asked.method, path, asked.headers.get("authorization"), asked.body)
        return Reply.json(told, status)

    def _reply(self, method: str, path: str, authorization: str | None, body: Any) -> tuple[int, dict[str, Any]]:
        if path == "/oidc/.well-known/oauth-authorization-server":
            return 200, {"authorization_endpoint": f"{self.url}/auth", "token_endpoint": f"{self.url}/token"}
        if path == "/.well-known/databricks-config":
            return 200, {"oidc_endpoint": f"{self.url}/oidc", "host_type": "workspace"}
        if path == "/token":
            return 200, {"access_token": self.token, "token_type": "Bearer", "expires_in": 3600}
        if authorization != f"Bearer {self.token}":
            return 401, {"error_code": "UNAUTHENTICATED", "message": f"the token {authorization} is wrong"}
        if path == "/api/2.0/sql/warehouses":
            listed = [EndpointInfo(id=name, state=state) for name, state in self.warehouses.items()]
            return 200, ListWarehousesResponse(warehouses=listed).as_dict()
        if method == "POST" and path == STATEMENTS:
            return self._execute(body)
        if method == "GET" and path.startswith(STATEMENTS):
            self.polls += 1
            statement_id = path.rpartition("/")[2]
            return 200, self._told(statement_id)
        return 404, {"error_code": "ENDPOINT_NOT_FOUND", "message": path}

    def _execute(self, body: dict[str, Any]) -> tuple[int, dict[str, Any]]:
        assert set(body) <= _KEYS, body
        assert re.fullmatch(r"0s|([5-9]|[1-4]\d|50)s", body["wait_timeout"])
        parameters = [StatementParameterListItem.from_dict(each) for each in body.get("parameters", [])]
        assert [each.as_dict() for each in parameters] == body.get("parameters", [])
        assert len(parameters) <= 256
        if self.fails:
            status, code = self.fails.pop(0)
            return status, {"error_code": code, "message": "not now"}
        self.asked.append(body)
        statement_id = f"statement-{len(self.asked)}"
        values = {each.name: str(each.value) for each in parameters}
        with self._lock:
            self._answers[statement_id] = self._ran(statement_id, body["statement"], values)
        if self.slow:
            return 200, StatementResponse(
                statement_id=statement_id, status=StatementStatus(state=StatementState.PENDING)
            ).as_dict()
        return 200, self._told(statement_id)

    def _told(self, statement_id: str) -> dict[str, Any]:
        if self.slow and self.polls % self.slow:
            running = StatementStatus(state=StatementState.RUNNING)
            return StatementResponse(statement_id=statement_id, status=running).as_dict()
        return self._answers[statement_id].as_dict()

    def _ran(self, statement_id: str, sql: str, values: Mapping[str, str]) -> StatementResponse:
        try:
            if self.refuses and self.refuses in sql:
                raise Refused("PERMISSION_DENIED: no grant", "42501")
            names, rows = self.run(sql, values)
        except Refused as error:
            told = ServiceError(error_code=ServiceErrorCode.BAD_REQUEST, message=str(error))
            failed = StatementStatus(told, error.sql_state, StatementState.FAILED)
            return StatementResponse(statement_id=statement_id, status=failed)
        columns = [ColumnInfo(name=name, position=position) for position, name in enumerate(names)]
        return StatementResponse(
            manifest=ResultManifest(schema=ResultSchema(column_count=len(names), columns=columns)),
            result=ResultData(data_array=[[str(value) for value in row] for row in rows]),
            statement_id=statement_id,
            status=StatementStatus(state=StatementState.SUCCEEDED),
        )


@dataclass(frozen=True)
class OnDuckDB:
    """Runs statements of Databricks on DuckDB."""

    connection: duckdb.DuckDBPyConnection = field(default_factory=duckdb.connect)

    def __call__(self, sql: str, values: Mapping[str, str]) -> Answer:
        try:
            return self._run(sql, values)
        except duckdb.Error as error:
            absent = isinstance(error, duckdb.CatalogException | duckdb.BinderException)
            raise Refused(str(error).splitlines()[0], "42P01" if absent else "42000") from None

    def rows(self, sql: str) -> list[tuple[Any, ...]]:
        return self.connection.execute(sql).fetchall()

    def _run(self, sql: str, values: Mapping[str, str]) -> Answer:
        if found := re.fullmatch(r"CREATE CATALOG IF NOT EXISTS `(\w+)`", sql):
            self.connection.execute(f"ATTACH IF NOT EXISTS ':memory:' AS {found[1]}")
            return [], []
        if rows := _ROWS.match(sql):
            return self._insert(rows["stage"].replace("`", '"'), values["rows"])
        if sql.startswith("INSERT OVERWRITE"):
            self.connection.execute("DELETE FROM " + sql.split()[2].replace("`", '"'))
            sql = sql.replace("INSERT OVERWRITE", "INSERT INTO", 1)
        sql = re.sub(r"ADD COLUMNS \((.*)\)$", r"ADD COLUMN \1", sql)
        plain = sqlglot.transpile(sql.removesuffix(" USING DELTA"), read="databricks", write="duckdb")[0]
        if plain.startswith("MERGE"):
            actions = [action for (action,) in self.rows(f"{plain} RETURNING merge_action")]
            words = {"num_inserted_rows": "INSERT", "num_updated_rows": "UPDATE", "num_deleted_rows": "DELETE"}
            return list(words), [[actions.count(word) for word in words.values()]]
        answer = self.connection.execute(plain.replace("DESCRIBE TABLE", "DESCRIBE", 1))
        return [column[0] for column in answer.description or ()], answer.fetchall()

    def _insert(self, stage: str, text: str) -> Answer:
        """What `from_json` of Spark does with the rows, in the types of the staging table."""
        types = {name: kind for name, kind, *_ in self.rows(f"DESCRIBE {stage}")}
        nested = {name for name, kind in types.items() if kind.endswith("]") or kind.startswith(("STRUCT", "MAP"))}
        casts = ", ".join(f"CAST({'CAST(? AS JSON)' if n in nested else '?'} AS {k})" for n, k in types.items())
        rows = [[_cell(row.get(name), name in nested) for name in types] for row in json.loads(text)]
        self.connection.executemany(f"INSERT INTO {stage} VALUES ({casts})", rows)
        return [], []


def _cell(value: object, nested: bool) -> object:
    return json.dumps(value) if nested and value is not None else value


@contextmanager
def workspace(run: Run) -> Iterator[Workspace]:
    """A workspace that is there as long as it is needed."""
    told = Workspace(run)
    with answering(told.reply) as told.url:
        yield told
