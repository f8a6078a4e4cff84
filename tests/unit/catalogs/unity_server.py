"""A server on this machine that speaks the REST API of Unity Catalog, and can be made to misbehave."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import unquote

API = "/api/2.1/unity-catalog"


@dataclass(frozen=True)
class Reply:
    """What a server sends, word for word."""

    status: int = 200
    body: bytes = b"{}"
    headers: Mapping[str, str] = field(default_factory=dict)

    @staticmethod
    def json(data: object, status: int = 200) -> Reply:
        return Reply(status, json.dumps(data).encode(), {"Content-Type": "application/json"})


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

    def reply(self, method: str, path: str, authorization: str | None, body: object) -> Reply:
        self.asked.append((method, path, body))
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

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self._answer(None)

        def do_POST(self) -> None:
            text = self.rfile.read(int(self.headers["Content-Length"])).decode()
            self._answer(json.loads(text) if text.startswith("{") else text)

        def _answer(self, body: object) -> None:
            reply = told.reply(self.command, self.path, self.headers["Authorization"], body)
            self.send_response(reply.status)
            for name, value in {"Content-Length": str(len(reply.body)), **reply.headers}.items():
                self.send_header(name, value)
            self.end_headers()
            try:
                self.wfile.write(reply.body)
            except ConnectionError:
                # Whoever has read enough hangs up.
                self.close_connection = True

        def log_message(self, format: str, *args: object) -> None:
            """Tests are quiet."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    told.url = f"http://127.0.0.1:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield told
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
