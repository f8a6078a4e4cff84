"""The project over HTTP: an API, and pages for people. `lakelogic serve` starts it."""

from __future__ import annotations

from lakelogic.serve.app import create_app

__all__ = ["create_app"]
