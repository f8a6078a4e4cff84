"""Where lineage events go: as the project file or the OPENLINEAGE_* variables say, and never at the cost of a run."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from loguru import logger
from sqlglot.errors import SqlglotError

from lakelogic.errors import LakeLogicError
from lakelogic.project import Project

if TYPE_CHECKING:
    from openlineage.client import OpenLineageClient
    from openlineage.client.event_v2 import RunEvent

_NAMESPACE = "lakelogic"
# The client alone would try for ten seconds, with every event.
_PATIENCE: Mapping[str, Any] = {"timeout": 3.0, "retry": {"total": 1, "connect": 1, "read": 1}}
# What clients and transports raise: addresses that do not answer, files that can't be written, settings that are wrong.
_TROUBLE = (OSError, RuntimeError, ValueError, TypeError, LookupError, ImportError, SqlglotError, LakeLogicError)


class Sender:
    """Sends events. The first that does not arrive is told, and no other is tried in this process."""

    def __init__(self, namespace: str, transport: Mapping[str, Any]) -> None:
        self.namespace = namespace
        self._transport = transport
        self._client: OpenLineageClient | None = None
        self._gave_up = False

    def send(self, make: Callable[[], RunEvent]) -> None:
        """Make an event and send it, or tell that it can't be."""
        if self._gave_up:
            return
        try:
            self._client = self._client or _client(self._transport)
        except _TROUBLE as error:
            self._give_up(_of_settings(error))
            return
        try:
            self._client.emit(make())
        except _TROUBLE as error:
            self._give_up(_of_sending(error))

    def _give_up(self, why: str) -> None:
        self._gave_up = True
        logger.warning("OpenLineage events can't be sent{}: {}. The run goes on without.", self._where, why)

    @property
    def _where(self) -> str:
        """The place, without what may be secret in an address."""
        if path := self._transport.get("log_file_path"):
            return f" to {path}"
        address = urlsplit(str(self._transport.get("url") or ""))
        return f" to {address.scheme}://{address.hostname}:{address.port or ''}".rstrip(":") if address.hostname else ""


def sender_of(project: Project) -> Sender | None:
    """Who sends the events of a project's runs; None where nobody has asked for them."""
    settings = dict(project.openlineage)
    disabled = os.environ.get("OPENLINEAGE_DISABLED", "").strip().lower() == "true"
    if disabled or not (settings or _environment()):
        return None
    namespace = os.environ.get("OPENLINEAGE_NAMESPACE") or settings.get("namespace") or _NAMESPACE
    transport = _of_environment() or _placed(settings.get("transport"), project.root)
    # What the client finds by itself is known by the variables; it sets some of its own where it is told.
    found = "" if transport else json.dumps(_environment())
    return _kept(str(namespace), json.dumps(transport, sort_keys=True, default=str), found)


@lru_cache(maxsize=16)
def _kept(namespace: str, transport: str, _found: str) -> Sender:
    """The same sender for all contracts of a process, so that it gives up once."""
    return Sender(namespace, json.loads(transport))


def _environment() -> dict[str, str]:
    """The variables that tell the client where to send."""
    asked = ("OPENLINEAGE_URL", "OPENLINEAGE_CONFIG")
    return {
        name: text for name, text in sorted(os.environ.items()) if name in asked or name.startswith("OPENLINEAGE__")
    }


def _of_environment() -> dict[str, Any]:
    """The transport that the simple variables name."""
    if not (url := os.environ.get("OPENLINEAGE_URL")):
        return {}
    endpoint = os.environ.get("OPENLINEAGE_ENDPOINT", "api/v1/lineage")
    key = os.environ.get("OPENLINEAGE_API_KEY")
    auth = {"auth": {"type": "api_key", "apiKey": key}} if key else {}
    return {"type": "http", "url": url, "endpoint": endpoint, **auth}


def _placed(transport: object, root: Path) -> dict[str, Any]:
    """A transport of the project file; a file is relative to the project."""
    if not isinstance(transport, Mapping):
        return {}
    path = transport.get("log_file_path")
    local = isinstance(path, str) and "://" not in path
    return {**transport, **({"log_file_path": str(root / str(path))} if local else {})}


def _client(transport: Mapping[str, Any]) -> OpenLineageClient:
    from openlineage.client import OpenLineageClient

    if transport.get("type") == "http":
        transport = {**_PATIENCE, **transport}
    if path := transport.get("log_file_path"):
        Path(str(path)).parent.mkdir(parents=True, exist_ok=True)
    return OpenLineageClient(config={"transport": dict(transport)} if transport else None)


def _of_settings(error: Exception) -> str:
    """What keeps a client from being made: it is not there, or does not take what it is told."""
    if isinstance(error, ModuleNotFoundError) and (error.name or "").startswith("openlineage"):
        return "a package is missing, pip install 'lakelogic[openlineage]'"
    said = (error.strerror if isinstance(error, OSError) else None) or str(error) or type(error).__name__
    return said.splitlines()[0].strip("'\".")


def _of_sending(error: Exception) -> str:
    """What went wrong with an event, without the address, which may hold a password."""
    response = getattr(error, "response", None)
    if response is not None:
        return f"the server answers {response.status_code}"
    name = type(error).__name__
    return "nobody answers" if "Connect" in name or "Timeout" in name else name
