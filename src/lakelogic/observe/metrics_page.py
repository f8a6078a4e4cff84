"""A page of numbers at `/metrics`, for as long as it is open."""

from __future__ import annotations

from threading import Thread
from typing import TYPE_CHECKING
from wsgiref.simple_server import WSGIServer

if TYPE_CHECKING:
    from prometheus_client import CollectorRegistry


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
        from prometheus_client import start_http_server

        self._server = start_http_server(self.port, self.host, self._registry)
        self.port = self._server[0].server_port

    @property
    def address(self) -> str:
        return f"http://{self.host}:{self.port}/metrics"

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
