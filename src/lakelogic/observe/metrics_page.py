"""A page of numbers at `/metrics`, for as long as it is open."""

from __future__ import annotations

import socket
from threading import Thread
from typing import TYPE_CHECKING
from wsgiref.simple_server import WSGIRequestHandler, WSGIServer, make_server

if TYPE_CHECKING:
    from prometheus_client import CollectorRegistry

# How long the end of a run may wait for the server to notice; the library's own takes half a second.
_NOTICE_SECONDS = 0.02


class MetricsPage:
    """Serves the numbers of a registry on threads of its own. Port 0 is any that is free."""

    def __init__(self, registry: CollectorRegistry, host: str, port: int) -> None:
        self.host, self.port = host, port
        self._registry = registry
        self._server: tuple[WSGIServer, Thread] | None = None

    def open(self) -> None:
        """Begin to serve.

        Raises:
            OSError: the port is taken, or the host is not one of this machine.
        """
        from prometheus_client.exposition import ThreadingWSGIServer, make_wsgi_app

        family, _, _, _, address = socket.getaddrinfo(self.host, self.port, type=socket.SOCK_STREAM)[0]
        kind = type("Server", (ThreadingWSGIServer,), {"address_family": family})
        server: WSGIServer = make_server(
            str(address[0]), self.port, make_wsgi_app(self._registry), kind, handler_class=_Quiet
        )
        thread = Thread(target=server.serve_forever, args=(_NOTICE_SECONDS,), daemon=True)
        thread.start()
        self._server = server, thread
        self.port = server.server_port

    @property
    def address(self) -> str:
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"http://{host}:{self.port}/metrics"

    @property
    def is_open(self) -> bool:
        return self._server is not None

    def close(self) -> None:
        """Serve no longer, and free the port."""
        if self._server is not None:
            server, thread = self._server
            self._server = None
            server.shutdown()
            thread.join()
            server.server_close()


class _Quiet(WSGIRequestHandler):
    """Logs no requests."""

    def log_message(self, format: str, *args: object) -> None: ...
