"""Addresses of servers as users write them."""

from __future__ import annotations

import pytest

from lakelogic.catalogs.web import Server, bearer, server_at


@pytest.mark.parametrize(
    ("address", "url"),
    [
        ("adb-1.azuredatabricks.net", "https://adb-1.azuredatabricks.net"),
        ("https://adb-1.azuredatabricks.net/", "https://adb-1.azuredatabricks.net"),
        ("https://catalog.example.com:8443", "https://catalog.example.com:8443"),
        ("http://localhost:8080", "http://localhost:8080"),
        ("http://[::1]:8080/", "http://[::1]:8080"),
    ],
)
def test_an_address_is_a_scheme_and_a_host(address: str, url: str) -> None:
    assert server_at(address, None, "UC_ENDPOINT").url == url


@pytest.mark.parametrize(
    ("url", "here"), [("http://localhost:1", True), ("https://127.0.0.1", True), ("https://localhost.evil.com", False)]
)
def test_only_this_machine_is_here(url: str, here: bool) -> None:
    assert Server(url).is_here is here


def test_a_token_is_not_shown() -> None:
    assert "dapi-secret" not in repr(Server("https://h", bearer("dapi-secret")))
