"""A server on this machine that answers requests as a test says; for systems that can't run here."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


@dataclass(frozen=True)
class Asked:
    """A request; the names of its headers are written in small letters."""

    method: str
    path: str
    headers: Mapping[str, str]
    content: bytes

    @property
    def body(self) -> object:
        """What was sent: JSON where it looks like it, else its text; None where nothing was."""
        text = self.content.decode()
        return json.loads(text) if text.startswith("{") else text or None


@dataclass(frozen=True)
class Reply:
    """What a server sends, word for word."""

    status: int = 200
    body: bytes = b"{}"
    headers: Mapping[str, str] = field(default_factory=dict)

    @staticmethod
    def json(data: object, status: int = 200) -> Reply:
        return Reply(status, json.dumps(data).encode(), {"Content-Type": "application/json"})


Answer = Callable[[Asked], Reply]


def http_server(answer: Answer) -> ThreadingHTTPServer:
    """A server on a free port; it has yet to be started."""

    class Handler(BaseHTTPRequestHandler):
        def do_HEAD(self) -> None:
            self._answer()

        def do_GET(self) -> None:
            self._answer()

        def do_POST(self) -> None:
            self._answer()

        def _answer(self) -> None:
            headers = {name.lower(): value for name, value in self.headers.items()}
            content = self.rfile.read(int(headers.get("content-length", 0)))
            reply = answer(Asked(self.command, self.path, headers, content))
            self.send_response(reply.status)
            for name, value in {"Content-Length": str(len(reply.body)), **reply.headers}.items():
                self.send_header(name, value)
            self.end_headers()
            try:
                self.wfile.write(b"" if self.command == "HEAD" else reply.body)
            except ConnectionError:
                # Whoever has read enough hangs up.
                self.close_connection = True

        def log_message(self, format: str, *args: object) -> None:
            """Tests are quiet."""

    return ThreadingHTTPServer(("127.0.0.1", 0), Handler)


@contextmanager
def answering(answer: Answer) -> Iterator[str]:
    """The address of a server that is there as long as it is needed."""
    with http_server(answer) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}"
        finally:
            server.shutdown()
            thread.join()
