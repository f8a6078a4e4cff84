"""The project over HTTP: an API, and pages for people. `lakelogic serve` starts it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lakelogic.lazy_names import loaded_on_use

if TYPE_CHECKING:
    from lakelogic.serve.app import create_app

__all__ = ["create_app"]

# The application brings the models of contracts with it, which take longest to load.
__getattr__ = loaded_on_use(__name__, {"create_app": "lakelogic.serve.app"})
