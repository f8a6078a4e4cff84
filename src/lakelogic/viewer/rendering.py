"""Ways to write a view as text; each is one file in `formats/`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from lakelogic.registry import Registry
from lakelogic.viewer.view import View


@dataclass(frozen=True)
class Rendering:
    """How a view is written, the ending of such files, and whether columns are part of it."""

    write: Callable[[View], str]
    ending: str
    columns: bool = False


renderings: Registry[Rendering] = Registry("form", "lakelogic.viewer.formats", "dag_formats")
