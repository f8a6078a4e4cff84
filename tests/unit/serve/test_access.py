"""Who may come in, and who may change something."""

from __future__ import annotations

import time
from pathlib import Path

import pytest
from fastapi import FastAPI
from starlette.responses import Response
from starlette.testclient import TestClient

from lakelogic.errors import UsageError
from lakelogic.serve import create_app
from lakelogic.serve.access import COOKIE, SESSION_SECONDS, Access, generated_token, is_loopback, require_token
from tests.serving import TOKEN

_BEARER = {"Authorization": f"Bearer {TOKEN}"}
_HERE = "http://127.0.0.1:8096"
_BROWSER = {"Accept": "text/html"}


@pytest.fixture(scope="module")
def app_of() -> dict[str | None, FastAPI]:
    """A server with a token and one without, each with a route that changes something."""
    found = {token: create_app(Path(__file__).parent, token=token) for token in (TOKEN, None)}
    for app in found.values():
        app.add_api_route("/change", lambda: Response("changed"), methods=["POST"])
    return found


def _client(app: FastAPI, base_url: str = _HERE, client: str = "127.0.0.1") -> TestClient:
    return TestClient(app, base_url=base_url, client=(client, 50_000), follow_redirects=False)


ROUTES = ("/", "/docs", "/openapi.json", "/api/runs", "/api/contracts", "/metrics", "/static/none.css", "/nowhere")


@pytest.mark.parametrize("route", ROUTES)
@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"Authorization": "Bearer wrong"},
        {"Authorization": f"Bearer {TOKEN}x"},
        {"Authorization": f"Basic {TOKEN}"},
        {"Authorization": "Bearer"},
        {"Authorization": "Bearer \u00e9".encode("latin-1")},
        {"Cookie": f"{COOKIE}={TOKEN}"},
        {"Cookie": f"{COOKIE}=9999999999.0"},
        {"Cookie": f"{COOKIE}=x.y.z"},
    ],
    ids=str,
)
def test_every_route_is_shut_without_the_token(
    app_of: dict[str | None, FastAPI], route: str, headers: dict[str, str]
) -> None:
    found = _client(app_of[TOKEN]).get(route, headers=headers)
    assert found.status_code == 401
    assert found.headers["www-authenticate"] == "Bearer"
    assert "cure" in found.json()


def test_health_is_open_to_a_health_check(app_of: dict[str | None, FastAPI]) -> None:
    assert _client(app_of[TOKEN], client="10.0.0.7").get("/health").json()["ok"] is True


def test_a_holder_of_the_token_comes_in_from_anywhere(app_of: dict[str | None, FastAPI]) -> None:
    found = _client(app_of[TOKEN], "http://lake.example", "10.0.0.7").get("/openapi.json", headers=_BEARER)
    assert found.status_code == 200


def test_a_browser_is_sent_to_sign_in_and_back(app_of: dict[str | None, FastAPI]) -> None:
    client = _client(app_of[TOKEN])
    sent = client.get("/docs?a=1", headers=_BROWSER)
    assert (sent.status_code, sent.headers["location"]) == (303, "/sign-in?next=%2Fdocs%3Fa%3D1")
    form = client.get(sent.headers["location"])
    assert 'name="next" value="/docs?a=1"' in form.text
    entered = client.post("/sign-in", data={"token": TOKEN, "next": "/docs?a=1"}, headers={"Origin": _HERE})
    assert (entered.status_code, entered.headers["location"]) == (303, "/docs?a=1")
    cookie = entered.headers["set-cookie"].lower()
    assert "httponly" in cookie
    assert "samesite=strict" in cookie
    assert TOKEN not in cookie
    assert client.get("/docs", headers=_BROWSER).status_code == 200
    left = client.post("/sign-out", headers={"Origin": _HERE})
    assert left.headers["location"] == "/sign-in"
    assert client.get("/docs", headers=_BROWSER).status_code == 303


def test_a_wrong_token_gets_no_cookie(app_of: dict[str | None, FastAPI]) -> None:
    found = _client(app_of[TOKEN]).post("/sign-in", data={"token": "wrong"}, headers={"Origin": _HERE})
    assert found.status_code == 403
    assert "set-cookie" not in found.headers
    assert "wrong" not in found.text


@pytest.mark.parametrize(
    "there", ["//evil.example", "https://evil.example", "/\\evil.example", "javascript:x", "/\r\nA: b"]
)
def test_sign_in_sends_nobody_to_another_site(app_of: dict[str | None, FastAPI], there: str) -> None:
    found = _client(app_of[TOKEN]).post("/sign-in", data={"token": TOKEN, "next": there}, headers={"Origin": _HERE})
    assert found.headers["location"] == "/"


def test_the_cookie_is_for_encrypted_connections_only_where_there_is_one(app_of: dict[str | None, FastAPI]) -> None:
    client = _client(app_of[TOKEN], "http://lake.example")
    found = client.post("/sign-in", data={"token": TOKEN}, headers={"Origin": "https://lake.example"})
    assert "secure" in found.headers["set-cookie"].lower()


def test_a_session_ends() -> None:
    access = Access(TOKEN)
    session = access.session(now=1_000)
    assert access.knows_session(session, now=1_000 + SESSION_SECONDS - 1)
    assert not access.knows_session(session, now=1_000 + SESSION_SECONDS)
    assert not Access("another").knows_session(access.session(), now=time.time())
    assert not Access(None).knows_session(Access(None).session())


def test_without_a_token_this_machine_reads_and_changes_nothing(app_of: dict[str | None, FastAPI]) -> None:
    client = _client(app_of[None])
    assert client.get("/openapi.json").status_code == 200
    refused = client.post("/change", headers={"Origin": _HERE})
    assert (refused.status_code, "LAKELOGIC_SERVE_TOKEN" in refused.json()["cure"]) == (403, True)


def test_without_a_token_a_made_up_one_changes_nothing(app_of: dict[str | None, FastAPI]) -> None:
    for given in ("", "None", "null"):
        found = _client(app_of[None]).post("/change", headers={"Authorization": f"Bearer {given}", "Origin": _HERE})
        assert found.status_code == 403


@pytest.mark.parametrize(
    "host", ["evil.example", "evil.example:8096", "127.0.0.1.evil.example", "localhost.", "", "[::2]"]
)
def test_a_name_that_another_site_points_at_this_machine_is_refused(
    app_of: dict[str | None, FastAPI], host: str
) -> None:
    assert _client(app_of[None]).get("/openapi.json", headers={"Host": host}).status_code == 403


@pytest.mark.parametrize("host", ["localhost", "LOCALHOST:8096", "127.0.0.1:1", "[::1]:8096", "[::1]"])
def test_this_machine_goes_by_names_of_its_own(app_of: dict[str | None, FastAPI], host: str) -> None:
    assert _client(app_of[None]).get("/openapi.json", headers={"Host": host}).status_code == 200


def test_without_a_token_another_machine_is_refused_whatever_it_calls_this_one(
    app_of: dict[str | None, FastAPI],
) -> None:
    assert _client(app_of[None], client="10.0.0.7").get("/openapi.json").status_code == 403


@pytest.mark.parametrize(
    "origin", ["http://evil.example", "null", "http://127.0.0.1:9999", "https://127.0.0.1.evil.example"]
)
def test_a_form_of_another_site_changes_nothing(app_of: dict[str | None, FastAPI], origin: str) -> None:
    client = _client(app_of[TOKEN])
    client.post("/sign-in", data={"token": TOKEN}, headers={"Origin": _HERE})
    assert client.post("/change", headers={"Origin": origin}).status_code == 403
    assert client.post("/change").status_code == 403
    assert client.post("/change", headers={"Origin": _HERE}).text == "changed"


def test_a_program_with_the_token_needs_no_origin(app_of: dict[str | None, FastAPI]) -> None:
    assert _client(app_of[TOKEN]).post("/change", headers=_BEARER).text == "changed"


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.168.1.2", "lake.example"])
def test_another_host_needs_a_token_that_is_hard_to_guess(host: str) -> None:
    with pytest.raises(UsageError, match="no token"):
        require_token(host, None)
    with pytest.raises(UsageError, match="fewer than 16"):
        require_token(host, "secret")
    require_token(host, generated_token())


@pytest.mark.parametrize("host", ["127.0.0.1", "127.8.8.8", "::1", "[::1]", "localhost"])
def test_this_machine_needs_no_token(host: str) -> None:
    assert is_loopback(host)
    require_token(host, None)


def test_no_answer_lets_other_sites_read_it(app_of: dict[str | None, FastAPI]) -> None:
    found = _client(app_of[TOKEN]).get("/openapi.json", headers={**_BEARER, "Origin": "http://evil.example"})
    assert not [name for name in found.headers if name.startswith("access-control")]
    preflight = _client(app_of[TOKEN]).options(
        "/api/runs", headers={"Origin": "http://evil.example", "Access-Control-Request-Method": "GET"}
    )
    assert preflight.status_code == 401
