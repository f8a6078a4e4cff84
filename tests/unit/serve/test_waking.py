"""A server that is still being loaded."""

from __future__ import annotations

from threading import Event

import pytest
from starlette.responses import PlainTextResponse
from starlette.testclient import TestClient
from starlette.types import ASGIApp

from lakelogic.errors import UsageError
from lakelogic.serve.waking import HEALTH, Waking


def test_it_tells_that_it_is_up_and_lets_others_wait() -> None:
    loaded = Event()

    def make() -> ASGIApp:
        loaded.wait(10)
        return PlainTextResponse("the application")

    client = TestClient(Waking(make))
    early = client.get("/health")
    assert early.json() == HEALTH
    assert early.headers["x-content-type-options"] == "nosniff"
    loaded.set()
    assert client.get("/api/runs").text == "the application"
    assert client.get("/health").text == "the application"


def test_what_kept_it_from_loading_is_told() -> None:
    told = Event()

    def make() -> ASGIApp:
        raise UsageError("the project file is wrong.")

    waking = Waking(make)
    waking.when_it_fails(told.set)
    assert told.wait(10)
    with pytest.raises(UsageError, match="project file is wrong"):
        waking.raise_if_failed()
