"""A server on this machine that speaks the REST API of Unity Catalog, and can be made to misbehave."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from urllib.parse import unquote

from tests.answering import Asked, Reply, answering

API = "/api/2.1/unity-catalog"


@dataclass
class UnityServer:
    """Tables and credentials by name; `script` holds answers that come before the true ones."""

    tables: dict[str, Mapping[str, object]] = field(default_factory=dict)
    credentials: Mapping[str, object] = field(default_factory=dict)
    token: str | None = None
    script: list[Reply] = field(default_factory=list)
    asked: list[tuple[str, str, object]] = field(default_factory=list)
    url: str = ""

    def add(self, name: str, location: str, **more: object) -> None:
        told = {"table_id": f"id-of-{name}", "table_type": "EXTERNAL", "data_source_format": "DELTA"}
        self.tables[name] = {**told, "storage_location": location, "columns": [], **more}

    @property
    def environment(self) -> dict[str, str]:
        """The variables that lead here."""
        return {"UC_ENDPOINT": self.url, **({"UC_TOKEN": self.token} if self.token else {})}

    def reply(self, asked: Asked) -> Reply:
        method, path, authorization = asked.method, asked.path, asked.headers.get("authorization")
        self.asked.append((method, path, asked.body))
        if self.script:
            return self.script.pop(0)
        if (method, path) == ("POST", "/oidc/v1/token"):
            return Reply.json({"access_token": self.token, "token_type": "Bearer"})
        if self.token and authorization != f"Bearer {self.token}":
            return Reply.json({"error_code": "UNAUTHENTICATED", "message": "Invalid access token."}, 401)
        if method == "GET" and path.startswith(f"{API}/tables/"):
            name = unquote(path.removeprefix(f"{API}/tables/"))
            missing = Reply.json({"error_code": "TABLE_DOES_NOT_EXIST", "message": f"Table not found: {name}"}, 404)
            return Reply.json(self.tables[name]) if name in self.tables else missing
        if (method, path) == ("POST", f"{API}/temporary-table-credentials"):
            return Reply.json(self.credentials)
        return Reply.json({"message": "no such thing"}, 404)


@contextmanager
def unity_server() -> Iterator[UnityServer]:
    """A server that runs as long as it is needed."""
    told = UnityServer()
    with answering(told.reply) as told.url:
        yield told
