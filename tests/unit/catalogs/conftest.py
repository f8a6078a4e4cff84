"""What the tests of catalogs share."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.unit.catalogs.unity_server import UnityServer, unity_server


@pytest.fixture
def unity() -> Iterator[UnityServer]:
    """A server that speaks the REST API of Unity Catalog."""
    with unity_server() as server:
        yield server
