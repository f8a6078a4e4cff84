"""What holds for every request and every answer."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator

import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response, StreamingResponse
from starlette.routing import Route
from starlette.testclient import TestClient

from lakelogic.serve.limits import Limited, Limits

_LIMITS = Limits(body_bytes=100, query_bytes=50, body_seconds=5, read_seconds=0.2, write_seconds=0.4)


async def _echo(request: Request) -> Response:
    return PlainTextResponse(str(len(await request.body())))


async def _slow(request: Request) -> Response:
    await asyncio.sleep(5)
    return PlainTextResponse("late")


async def _long(request: Request) -> Response:
    async def parts() -> AsyncIterator[str]:
        for part in "abc":
            await asyncio.sleep(0.15)
            yield part

    return StreamingResponse(parts())


async def _own(request: Request) -> Response:
    return PlainTextResponse("", headers={"Cache-Control": "max-age=60"})


@pytest.fixture(scope="module")
def client() -> Iterator[TestClient]:
    routes = [
        Route("/echo", _echo, methods=["GET", "POST"]),
        Route("/slow", _slow, methods=["GET", "POST"]),
        Route("/long", _long),
        Route("/own", _own),
    ]
    with TestClient(Limited(Starlette(routes=routes), _LIMITS)) as found:
        yield found


def test_every_answer_tells_browsers_what_they_must_not_do(client: TestClient) -> None:
    for route in ("/echo", "/nowhere", f"/echo?{'q' * 60}"):
        headers = client.get(route).headers
        assert "default-src 'none'" in headers["content-security-policy"]
        assert "unsafe" not in headers["content-security-policy"]
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["x-frame-options"] == "DENY"
        assert headers["referrer-policy"] == "same-origin"
        assert headers["cache-control"] == "no-store"


def test_an_answer_may_have_headers_of_its_own(client: TestClient) -> None:
    assert client.get("/own").headers["cache-control"] == "max-age=60"


def test_a_body_up_to_the_limit_is_read(client: TestClient) -> None:
    assert client.post("/echo", content=b"x" * 100).text == "100"


def test_a_body_that_says_it_is_larger_is_refused(client: TestClient) -> None:
    assert client.post("/echo", content=b"x" * 101).status_code == 413


def test_a_body_that_does_not_say_how_large_it_is_is_counted(client: TestClient) -> None:
    found = client.post("/echo", content=(b"x" * 60 for _ in range(3)))
    assert found.status_code == 413


@pytest.mark.parametrize("length", ["-1", "many", "1e3", ""])
def test_a_length_that_is_no_number_is_refused(client: TestClient, length: str) -> None:
    assert client.post("/echo", headers={"Content-Length": length}).status_code == 413


def test_a_long_query_is_refused(client: TestClient) -> None:
    assert client.get(f"/echo?{'q' * 51}").status_code == 414


def test_an_answer_that_takes_too_long_is_a_refusal_with_its_cure(client: TestClient) -> None:
    for found in (client.get("/slow"), client.post("/slow")):
        assert found.status_code == 503
        assert found.json()["cure"] == "Ask for less, or try again later."


def test_an_answer_that_has_begun_may_take_its_time(client: TestClient) -> None:
    assert client.get("/long").text == "abc"
