"""The project over HTTP: an API, and pages for people. `lakelogic serve` starts it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from lakelogic.serve.app import create_app

__all__ = ["create_app"]


def __getattr__(name: str) -> Any:
    # The application brings the models of contracts with it, which take longest to load.
    if name != "create_app":
        raise AttributeError(f"module 'lakelogic.serve' has no attribute '{name}'")
    from lakelogic.serve.app import create_app

    return create_app
